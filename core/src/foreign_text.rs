//! Names, images and messages of other people in our sentences. A direction mark or a right-to-left word among them must not turn
//! the words around it.

use alloc::string::String;
use alloc::vec::Vec;

/// The characters before and after a text whose direction is its own.
const ISOLATE: (char, char) = ('\u{2068}', '\u{2069}');

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// Words in the direction of our sentences.
    Own(&'a str),
    /// Words that turn what is beside them, with their direction marks written out: `\u{202e}`.
    Turning(String),
}

/// Whether a character changes the direction of the characters beside it without being visible.
#[must_use]
pub(crate) const fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character is of a script that is written from right to left.
const fn is_right_to_left(c: char) -> bool {
    matches!(
        c,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}'
    )
}

/// The parts of a text. What turns begins and ends with a word that does.
#[must_use]
pub fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(turns) {
        let start = rest.get(..start).and_then(|before| before.rfind(char::is_whitespace)).map_or(0, |space| {
            space.saturating_add(rest.get(space..).and_then(|it| it.chars().next()).map_or(0, char::len_utf8))
        });
        let (before, turning) = rest.split_at_checked(start).unwrap_or((rest, ""));
        let end = end_of_turning(turning);
        let (turning, after) = turning.split_at_checked(end).unwrap_or((turning, ""));
        if !before.is_empty() {
            parts.push(Part::Own(before));
        }
        parts.push(Part::Turning(written_out(turning)));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Own(rest));
    }
    parts
}

fn turns(c: char) -> bool {
    is_direction_mark(c) || is_right_to_left(c)
}

/// Where the words end that turn one after another.
fn end_of_turning(text: &str) -> usize {
    let mut end = 0_usize;
    let mut length = 0_usize;
    for word in text.split_inclusive(char::is_whitespace) {
        let trimmed = word.trim_end();
        if !trimmed.contains(turns) {
            break;
        }
        end = length.saturating_add(trimmed.len());
        length = length.saturating_add(word.len());
    }
    end.max(1)
}

fn written_out(text: &str) -> String {
    let mut written = String::new();
    for c in text.chars() {
        if is_direction_mark(c) { written.extend(c.escape_unicode()) } else { written.push(c) }
    }
    written
}

/// The text as a terminal shows it: what turns is isolated.
#[must_use]
pub fn isolated(text: &str) -> String {
    let mut isolated = String::new();
    for part in parts(text) {
        match part {
            Part::Own(text) => isolated.push_str(text),
            Part::Turning(text) => {
                isolated.push(ISOLATE.0);
                isolated.push_str(&text);
                isolated.push(ISOLATE.1);
            }
        }
    }
    isolated
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn only_what_turns_is_isolated() {
        let turning = |text: &str| Part::Turning(text.into());
        for (text, expected) in [
            ("web is stuck: 3 pods", vec![Part::Own("web is stuck: 3 pods")]),
            ("é is 日本", vec![Part::Own("é is 日本")]),
            ("", vec![]),
            ("שלום עולם is stuck", vec![turning("שלום עולם"), Part::Own(" is stuck")]),
            ("says: שלום 3 pods", vec![Part::Own("says: "), turning("שלום"), Part::Own(" 3 pods")]),
            ("a\u{202e}b is stuck", vec![turning("a\\u{202e}b"), Part::Own(" is stuck")]),
            ("web \u{2069}", vec![Part::Own("web "), turning("\\u{2069}")]),
        ] {
            assert_eq!(parts(text), expected, "{text:?}");
        }
        assert_eq!(isolated("web says שלום: 3"), "web says \u{2068}שלום:\u{2069} 3");
    }
}
