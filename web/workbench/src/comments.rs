//! The comments of a YAML text.

use changeover_wire::may_have_secret;

/// The text without the comments that may contain a secret; none if no comment may. Adjacent comment lines are one block, which
/// is kept or removed as a whole, judged together with a comment at the end of the line before it: a key and its value may be
/// on two lines.
///
/// The text isn't parsed: a part of a quoted value that looks like a comment is removed, too. The caller checks the result.
pub(crate) fn without_secret_comments(text: &str) -> Option<String> {
    let mut left = String::with_capacity(text.len());
    let mut block = String::new();
    let mut last_trailing = "";
    for line in text.split_inclusive('\n') {
        if line.trim_start_matches('\u{feff}').trim_start().starts_with('#') {
            block.push_str(line);
            continue;
        }
        push_unless_secret(&mut left, last_trailing, &block);
        block.clear();
        let (before, comment) = trailing_comment(line).unwrap_or((line, ""));
        last_trailing = comment;
        if may_have_secret(comment) {
            left.push_str(before.trim_end());
            left.push('\n');
        } else {
            left.push_str(line);
        }
    }
    push_unless_secret(&mut left, last_trailing, &block);
    (left.len() < text.len()).then_some(left)
}

/// `before`: the comment at the end of the line before `comment`.
fn push_unless_secret(text: &mut String, before: &str, comment: &str) {
    if !comment.is_empty() && !may_have_secret(&format!("{before}{comment}")) {
        text.push_str(comment);
    }
}

/// Splits a line before its comment, which begins after a space.
fn trailing_comment(line: &str) -> Option<(&str, &str)> {
    let mut signs = line.match_indices('#').filter_map(|(at, _)| line.split_at_checked(at));
    signs.find(|(before, _)| before.ends_with(char::is_whitespace))
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
            ("a: b # token:\n# hunter2\n# and more\nc: d # Mine.\n# Ours.\n", Some("a: b\nc: d # Mine.\n# Ours.\n")),
            ("a: b # --token\n  # hunter2", Some("a: b # --token\n")),
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
