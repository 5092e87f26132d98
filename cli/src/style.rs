//! What text looks like where it is printed: its colors and the width of its lines.

use anstyle::{AnsiColor, Effects, Style};
use textwrap::core::display_width;
use textwrap::{Options, WordSplitter, fill};

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

/// Where text is printed.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    pub palette: Palette,
    /// The width of a line, in columns.
    pub width: usize,
}

impl Screen {
    /// The width where there is no terminal.
    pub const DEFAULT_WIDTH: usize = 80;

    /// A paragraph, without the end of its last line. Its lines after the first one begin `indent` columns to the right.
    pub fn wrap(self, text: &str, indent: usize) -> String {
        let indent = " ".repeat(indent);
        let options = Options::new(self.width).subsequent_indent(&indent).break_words(false);
        let options = options.word_splitter(WordSplitter::NoHyphenation);
        fill(&with_glued_numbers(text), options).replace(GLUE, " ")
    }

    /// The same for a sentence and a command that follows it, which stays in one line, so that it can be copied.
    pub fn wrap_with_command(self, text: &str, command: Option<&str>, indent: usize) -> String {
        let Some(command) = command else { return self.wrap(text, indent) };
        let line = format!("{text}: {command}");
        if display_width(&line) <= self.width {
            return line;
        }
        format!("{}\n{}{command}", self.wrap(&format!("{text}:"), indent), " ".repeat(indent))
    }
}

/// A space at which no line ends.
const GLUE: char = '\u{a0}';

/// A text in which numbers and what they count stay in one line: `20 s`, `5 pods`.
fn with_glued_numbers(text: &str) -> String {
    let mut glued = String::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let is_glued = character == ' '
            && glued.ends_with(|before: char| before.is_ascii_digit())
            && rest.peek().is_some_and(|after| after.is_alphabetic());
        glued.push(if is_glued { GLUE } else { character });
    }
    glued
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
