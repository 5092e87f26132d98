//! How far a long command is, on standard error.

use crate::host::Host;

/// The width of the bar, in characters.
const WIDTH: usize = 30;

/// Moves to the beginning of the line and clears it.
pub const CLEAR_LINE: &str = "\r\u{1b}[K";

/// A bar in one line, which is removed when the work ends, however it ends. Without a terminal there is none.
pub struct Progress<'a> {
    host: &'a mut dyn Host,
    what: &'static str,
    is_drawn: bool,
}

impl<'a> Progress<'a> {
    /// The progress of work that consists of many of these: `run`, `setting`.
    pub fn new(host: &'a mut dyn Host, what: &'static str) -> Self {
        Self { host, what, is_drawn: false }
    }

    /// Draws the bar.
    pub fn show(&mut self, done: usize, of: usize) {
        if self.host.terminals().error {
            self.host.print_error(&format!("{CLEAR_LINE}{}", line(self.what, done, of)));
            self.is_drawn = true;
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if self.is_drawn {
            self.host.print_error(CLEAR_LINE);
        }
    }
}

/// `██████████░░░░░░░░░░░░░░░░░░░░ setting 12 of 36`
fn line(what: &str, done: usize, of: usize) -> String {
    let full = done.min(of).saturating_mul(WIDTH).checked_div(of).unwrap_or(WIDTH);
    let bar = format!("{}{}", "█".repeat(full), "░".repeat(WIDTH.saturating_sub(full)));
    format!("{bar} {what} {done} of {of}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_grows_with_what_is_done() {
        let full = |done, of| line("run", done, of).chars().filter(|character| *character == '█').count();
        assert_eq!([full(0, 200), full(100, 200), full(199, 200), full(200, 200)], [0, 15, 29, 30]);
        assert_eq!(full(0, 0), 30);
        assert_eq!(line("setting", 12, 36), "██████████░░░░░░░░░░░░░░░░░░░░ setting 12 of 36");
    }
}
