//! What is wrong with something that is typed on the page, in its reader's words. The API server's own words are for texts that
//! the API server would read: those of its page, and YAML.

use crate::number::with_grouped_digits;

/// A part of the reason in the API's message, and what the page says instead.
const WORDS: [(&str, &str); 5] = [
    ("percent", "isn't a number or a percentage. Write 5 or 25%."),
    ("bit integer", "isn't a whole number from 0 to 2,147,483,647."),
    ("250ms", "isn't a duration. Write 90s, 1m30s or 250ms."),
    ("or never", "isn't a duration. Write 90s, 1m30s or never."),
    (
        "`maxSurge` is 0",
        "is too few if there are no extra pods: no pod could ever be replaced. Allow one extra pod, or one unavailable pod.",
    ),
];

/// A longer text is cut.
const MAX_LETTERS: usize = 64;

/// `Time to stop: “45n” isn't a duration. Write 90s, 1m30s or 250ms.` `label`: of the input; `message`: of the API, without the
/// path of the field, which means nothing to someone who types into an input.
pub fn in_words(label: &str, typed: &str, message: &str) -> String {
    let mut typed = String::from(typed.trim());
    let end = typed.char_indices().nth(MAX_LETTERS).map(|(end, _)| end);
    if let Some(end) = end {
        typed.truncate(end);
        typed.push('…');
    }
    // Before it, the message repeats the value.
    let reason = message.rsplit_once(": ").map_or(message, |(_, reason)| reason).trim_end_matches('.');
    if let Some((_, words)) = WORDS.iter().find(|(part, _)| reason.contains(part)) {
        return format!("{label}: “{typed}” {words}");
    }
    let reason = with_grouped_digits(reason.strip_suffix(" (limits.pods)").unwrap_or(reason));
    if typed.is_empty() || !reason.starts_with("must") {
        return format!("{label}: {reason}.");
    }
    format!("{label}: “{typed}” {reason}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_the_api_becomes_a_sentence_about_what_was_typed() {
        let unreadable = r#"Invalid value: "45n": must be a duration like 90s, 1m30s or 250ms"#;
        let percent = "Invalid value: \"x\": a valid percent string must be a numeric string followed by an ending '%' (e.g. \
                       '1%',  or '93%', regex used for validation is '[0-9]+%')";
        for (label, typed, message, expected) in [
            ("Time to stop", " 45n", unreadable, "Time to stop: “45n” isn't a duration. Write 90s, 1m30s or 250ms."),
            (
                "Time to start",
                "soon",
                r#"Invalid value: "soon": must be a duration like 90s, or never"#,
                "Time to start: “soon” isn't a duration. Write 90s, 1m30s or never.",
            ),
            ("Extra pods", "x", percent, "Extra pods: “x” isn't a number or a percentage. Write 5 or 25%."),
            (
                "Number of pods",
                "b1n2",
                r#"Invalid value: "b1n2": must be a 64bit integer"#,
                "Number of pods: “b1n2” isn't a whole number from 0 to 2,147,483,647.",
            ),
            // What was typed is not the reason.
            (
                "Time to stop",
                "percent",
                r#"Invalid value: "percent": must be a duration like 90s, 1m30s or 250ms"#,
                "Time to stop: “percent” isn't a duration. Write 90s, 1m30s or 250ms.",
            ),
            // Words that are clear stay.
            (
                "Replicas",
                "-1",
                "Invalid value: -1: must be greater than or equal to 0",
                "Replicas: “-1” must be greater than or equal to 0.",
            ),
            (
                "Number of pods",
                "250001",
                "Invalid value: 250001: more than 250,000 pods at once are not simulated",
                "Number of pods: more than 250,000 pods at once are not simulated.",
            ),
            (
                "Replicas",
                "1000000000",
                "More than 250000 pods at once are not simulated (limits.pods).",
                "Replicas: More than 250,000 pods at once are not simulated.",
            ),
            ("Image", "", "Required value: must not be empty", "Image: must not be empty."),
            ("Node", "nowhere", r#"nodes "nowhere" not found"#, r#"Node: nodes "nowhere" not found."#),
        ] {
            assert_eq!(in_words(label, typed, message), expected);
        }
    }

    #[test]
    fn a_long_text_is_cut() {
        let said = in_words("Replicas", &"é".repeat(90), "Invalid value: must be a 32bit integer");
        assert_eq!(said.matches('é').count(), MAX_LETTERS);
    }
}
