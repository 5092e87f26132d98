//! The keyboard shortcuts. `index.html` lists them in its help.

use crate::dom::FocusTarget;

/// The command of a key, in the form of the attribute `data-do`.
pub(crate) fn key_command(key: &str, shift: bool, focus: &FocusTarget) -> Option<&'static str> {
    let button = matches!(focus, FocusTarget::Button);
    let pods = matches!(focus, FocusTarget::Pods);
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
    fn a_focused_button_keeps_space_and_focused_pods_keep_the_arrows() {
        assert_eq!(key_command(" ", false, &FocusTarget::Page), Some("toggle"));
        assert_eq!(key_command(" ", false, &FocusTarget::Button), None);
        assert_eq!(key_command("ArrowLeft", true, &FocusTarget::Button), Some("write -1"));
        assert_eq!(key_command("ArrowLeft", false, &FocusTarget::Pods), Some("pod -1"));
        assert_eq!(key_command("a", false, &FocusTarget::Page), None);
    }
}
