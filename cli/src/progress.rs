//! How far a long command is, on standard error.

use crate::host::Host;

/// The width of the bar, in characters.
const WIDTH: usize = 30;

/// Moves to the beginning of the line and clears it.
pub const CLEAR_LINE: &str = "\r\u{1b}[K";

/// A bar in one line, which is removed when the work ends, however it ends. Without a terminal there is none.
pub struct Progress<'a> {
    host: &'a mut dyn Host,
    is_drawn: bool,
}

impl<'a> Progress<'a> {
    pub fn new(host: &'a mut dyn Host) -> Self {
        Self { host, is_drawn: false }
    }

    /// Draws the bar when some of these are done: `run`, `setting`.
    pub fn finished(&mut self, what: &str, done: usize, of: usize) {
        self.draw(&line(what, done, done, of));
    }

    /// Draws the bar when one of these begins, which are counted from 1: `exploring Deployment`.
    pub fn begins(&mut self, what: &str, number: usize, of: usize) {
        self.draw(&line(what, number.saturating_sub(1), number, of));
    }

    fn draw(&mut self, line: &str) {
        if self.host.terminals().error {
            self.host.print_error(&format!("{CLEAR_LINE}{line}"));
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
fn line(what: &str, done: usize, number: usize, of: usize) -> String {
    let full = done.min(of).saturating_mul(WIDTH).checked_div(of).unwrap_or(WIDTH);
    let bar = format!("{}{}", "█".repeat(full), "░".repeat(WIDTH.saturating_sub(full)));
    format!("{bar} {what} {number} of {of}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_grows_with_what_is_done() {
        let full = |done, of| line("run", done, done, of).chars().filter(|character| *character == '█').count();
        assert_eq!([full(0, 200), full(100, 200), full(199, 200), full(200, 200)], [0, 15, 29, 30]);
        assert_eq!(full(0, 0), 30);
        assert_eq!(line("setting", 12, 12, 36), "██████████░░░░░░░░░░░░░░░░░░░░ setting 12 of 36");
        assert_eq!(line("run", 1, 2, 3), "██████████░░░░░░░░░░░░░░░░░░░░ run 2 of 3");
    }
}
