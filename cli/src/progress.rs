//! How far a long command is, on standard error.

use crate::host::Host;

/// Shows `setting 12 of 40` in one line that is removed at the end; nothing without a terminal.
pub fn show_progress<'a>(host: &'a mut dyn Host, what: &'a str) -> impl FnMut(usize, usize) + 'a {
    let is_watched = host.terminals().error;
    move |done, of| {
        if is_watched {
            let end = if done >= of { "\r\u{1b}[K" } else { "" };
            host.print_error(&format!("\r\u{1b}[K{what} {done} of {of}{end}"));
        }
    }
}
