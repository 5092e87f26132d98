//! Which key does what. The help, in `index.html`, lists the same.

use crate::dom::Focus;

/// The command of a key, as a button's `data-do` has it.
pub(crate) fn command(key: &str, shift: bool, focus: &Focus) -> Option<&'static str> {
    let button = matches!(focus, Focus::Button);
    let pods = matches!(focus, Focus::Pods);
    Some(match key {
        "ArrowRight" if pods => "pod 1",
        "ArrowLeft" if pods => "pod -1",
        " " if !button => "toggle",
        "ArrowRight" if shift => "write 1",
        "ArrowLeft" if shift => "write -1",
        "ArrowRight" => "step 1",
        "ArrowLeft" => "step -1",
        "Home" => "start",
        "End" => "end",
        "+" | "=" => "faster",
        "-" | "−" => "slower",
        "n" => "caption 1",
        "b" => "caption -1",
        "f" => "fork",
        "c" => "pace",
        "g" => "by",
        "?" => "help",
        "Escape" => "sheet",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_belongs_to_a_button_that_has_the_focus_and_arrows_to_pods() {
        assert_eq!(command(" ", false, &Focus::Page), Some("toggle"));
        assert_eq!(command(" ", false, &Focus::Button), None);
        assert_eq!(command("ArrowLeft", true, &Focus::Button), Some("write -1"));
        assert_eq!(command("ArrowLeft", false, &Focus::Pods), Some("pod -1"));
        assert_eq!(command("a", false, &Focus::Page), None);
    }
}
