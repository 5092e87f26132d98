//! Lower case.
//!
//! Ported from the Go standard library (BSD-3-Clause, see NOTICE).

use alloc::string::String;

/// Lower case, as Go's `strings.ToLower` makes it, of the letters that can then be part of a name: ASCII's, and the two
/// beyond it that become ASCII. Other letters stay, as no name may contain them in either case.
pub(crate) fn to_lower(text: &str) -> String {
    let lower = |letter| match letter {
        '\u{130}' => 'i',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    };
    text.chars().map(lower).collect()
}
