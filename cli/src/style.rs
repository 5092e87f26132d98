//! Colors, where the output is a terminal.

use anstyle::{AnsiColor, Effects, Style};

/// What a piece of text is, which decides its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A name at the head of a block.
    Heading,
    /// What is fine.
    Good,
    /// What is not.
    Bad,
    /// What to look at.
    Warning,
    /// What matters less.
    Aside,
    /// Available pods.
    Available,
    /// Pods that are on their way.
    Starting,
    /// Terminating pods.
    Terminating,
}

/// Whether to color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// Plain text.
    Plain,
    /// Text with ANSI escape codes.
    Colored,
}

impl Palette {
    /// The text in the color of its role.
    pub fn paint(self, role: Role, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colored => {
                let style = role.style();
                format!("{style}{text}{style:#}")
            }
        }
    }
}

impl Role {
    fn style(self) -> Style {
        let color = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        match self {
            Self::Heading => Style::new().effects(Effects::BOLD),
            Self::Good | Self::Available => color(AnsiColor::Green),
            Self::Bad => color(AnsiColor::Red).effects(Effects::BOLD),
            Self::Warning => color(AnsiColor::Yellow),
            Self::Aside => Style::new().effects(Effects::DIMMED),
            Self::Starting => color(AnsiColor::Cyan),
            Self::Terminating => color(AnsiColor::Magenta),
        }
    }
}
