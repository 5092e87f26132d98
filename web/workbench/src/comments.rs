//! The comments of a YAML text.

use changeover_wire::may_have_secret;

/// The text without the comments that may contain a secret; none if no comment may. The comments of adjacent lines are one block,
/// which is kept or removed as a whole, also if they are at the ends of the lines: a key and its value may be on two lines.
///
/// The text isn't parsed: a part of a quoted value that looks like a comment is removed, too. The caller checks the result.
pub(crate) fn without_secret_comments(text: &str) -> Option<String> {
    let mut left = String::with_capacity(text.len());
    let mut block = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(parts) = split_comment(line) {
            block.push(parts);
        } else {
            push_block(&mut left, &block);
            block.clear();
            left.push_str(line);
        }
    }
    push_block(&mut left, &block);
    (left.len() < text.len()).then_some(left)
}

/// Adds lines with comments, or what is before the comments if these may contain a secret.
fn push_block(text: &mut String, block: &[(&str, &str)]) {
    let comments: String = block.iter().map(|(_, comment)| *comment).collect();
    let is_secret = may_have_secret(&comments);
    for (before, comment) in block {
        if !is_secret {
            text.push_str(before);
            text.push_str(comment);
        } else if !is_blank(before) {
            text.push_str(before.trim_end());
            text.push('\n');
        }
    }
}

/// Splits a line before its comment, which begins the line or follows a space.
fn split_comment(line: &str) -> Option<(&str, &str)> {
    let mut signs = line.match_indices('#').filter_map(|(at, _)| line.split_at_checked(at));
    signs.find(|(before, _)| is_blank(before) || before.ends_with(char::is_whitespace))
}

fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_that_may_contain_a_secret_are_removed() {
        for (text, left) in [
            ("# password: hunter2\na: b\n", Some("a: b\n")),
            ("a: b\n  # DB_PASSWORD=hunter2", Some("a: b\n")),
            ("a: b # the token: hunter2\nc: d\n", Some("a: b\nc: d\n")),
            ("a: b # psql postgres://web:hunter2@db/\nc: d # run --token hunter2\n", Some("a: b\nc: d\n")),
            // A key and its value.
            ("a: b\n# - name: API_KEY\n#   value: hunter2\n\n# Mine: this.\n", Some("a: b\n\n# Mine: this.\n")),
            ("a: b # token:\n# hunter2\n# and more\nc: d\n# Ours.\n", Some("a: b\nc: d\n# Ours.\n")),
            ("a: b # --token\n  # hunter2", Some("a: b\n")),
            ("a: b # token:\nc: d # hunter2\ne: f\ng: h # Mine.\n", Some("a: b\nc: d\ne: f\ng: h # Mine.\n")),
            ("# --token\na: b # hunter2", Some("a: b\n")),
            ("a: b # token:\n\n# Mine.\n", Some("a: b\n\n# Mine.\n")),
            ("\u{feff}# token=hunter2\na: b\n", Some("a: b\n")),
            ("a: b\r# token: hunter2\r\n", Some("a: b\n")),
            ("# The password is in the vault.\na: b # secret\n", None),
            ("a: b#token:c\n# Mine: this.\n", None),
        ] {
            assert_eq!(without_secret_comments(text).as_deref(), left, "{text}");
        }
    }
}
