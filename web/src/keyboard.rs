//! Which key does what.

use crate::app::Message;

/// The keys, as the help lists them.
pub(crate) const KEYS: [(&str, &str); 8] = [
    ("Space", "play or pause"),
    ("→", "next decision"),
    ("←", "decision before"),
    ("Shift →  Shift ←", "every single write, forth and back"),
    ("Home  End", "start, end"),
    ("+  −", "faster, slower"),
    ("Tab", "from number to number in a formula: its place on the picture lights up"),
    ("?", "this help"),
];

/// What a key asks for. `button` says that a button has the focus: then Space is its own.
pub(crate) fn message(key: &str, shift: bool, button: bool) -> Option<Message> {
    Some(match key {
        " " if !button => Message::Toggle,
        "ArrowRight" if shift => Message::Write(true),
        "ArrowLeft" if shift => Message::Write(false),
        "ArrowRight" => Message::Step(true),
        "ArrowLeft" => Message::Step(false),
        "Home" => Message::Start,
        "End" => Message::End,
        "+" | "=" => Message::Faster,
        "-" | "−" => Message::Slower,
        "?" => Message::Help,
        "Escape" => Message::Sheet(None),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_belongs_to_a_button_that_has_the_focus() {
        assert!(matches!(message(" ", false, false), Some(Message::Toggle)));
        assert!(message(" ", false, true).is_none());
        assert!(matches!(message("ArrowLeft", true, true), Some(Message::Write(false))));
        assert!(message("a", false, false).is_none());
    }
}
