//! The texts of captions: words in the colors of the picture, its numbers, and numbers that the reader can drag
//! (`docs/stories.md`).

use std::fmt;

use changeover_core::Problem;
use changeover_core::json::{FromJson, Path, ToJson, must_be};
use changeover_wire::Mark;
use serde_json::Value;

use crate::number::group_digits;
use crate::playback::Playback;

/// A text. In a file, `[4 pods](limit)` is a part with a meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryText(Vec<Piece>);

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words.
    Plain(String),
    /// A part with a meaning, as the file has it.
    Marked(String, Meaning),
}

/// What a part of a text means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Pods of the old version.
    Old,
    /// Pods of the new version.
    New,
    /// A number of the picture.
    Figure(Figure),
    /// A number that the reader can drag.
    Dragged(Draggable),
}

/// A number of the picture at the moment of a caption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// All pods.
    Pods,
    /// The pods that are available.
    Available,
    /// The pods that start.
    Starting,
    /// The pods that terminate.
    Terminating,
    /// The pods that do not terminate.
    Counted,
    /// The pods over the limit.
    Over,
    /// The limit.
    Limit,
    /// The fewest pods that must be available.
    Minimum,
    /// The most pods at any time.
    Peak,
}

/// A number that the reader can drag in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draggable {
    /// `spec.replicas`.
    Replicas,
    /// `spec.strategy.rollingUpdate.maxSurge`.
    MaxSurge,
    /// How many seconds a pod takes until it is ready.
    TimeToStart,
    /// How many seconds a pod takes to stop.
    TimeToStop,
}

const MEANINGS: [(&str, Meaning); 15] = [
    ("old", Meaning::Old),
    ("new", Meaning::New),
    ("pods", Meaning::Figure(Figure::Pods)),
    ("available", Meaning::Figure(Figure::Available)),
    ("starting", Meaning::Figure(Figure::Starting)),
    ("terminating", Meaning::Figure(Figure::Terminating)),
    ("counted", Meaning::Figure(Figure::Counted)),
    ("over", Meaning::Figure(Figure::Over)),
    ("limit", Meaning::Figure(Figure::Limit)),
    ("minimum", Meaning::Figure(Figure::Minimum)),
    ("peak", Meaning::Figure(Figure::Peak)),
    ("replicas", Meaning::Dragged(Draggable::Replicas)),
    ("maxSurge", Meaning::Dragged(Draggable::MaxSurge)),
    ("timeToStart", Meaning::Dragged(Draggable::TimeToStart)),
    ("timeToStop", Meaning::Dragged(Draggable::TimeToStop)),
];

impl StoryText {
    /// Its pieces.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// Whether it has a figure of the picture.
    pub fn has(&self, figure: Figure) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Marked(_, Meaning::Figure(other)) if *other == figure))
    }

    /// The text with a meaning's number as `number` says; as the file has it where that is none.
    pub fn with_numbers(&self, number: impl Fn(Meaning) -> Option<i32>) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Plain(text) => text.clone(),
            Piece::Marked(text, meaning) => {
                number(*meaning).map_or_else(|| text.clone(), |number| with_number(text, number))
            }
        };
        self.0.iter().map(text).collect()
    }

    /// The pieces of a text; else the name that no meaning has.
    fn parse(text: &str) -> Result<Self, &str> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, marked, name, after)) = next_mark(rest) {
            let meaning = MEANINGS.iter().find(|(known, _)| *known == name).ok_or(name)?.1;
            if !before.is_empty() {
                pieces.push(Piece::Plain(before.to_owned()));
            }
            pieces.push(Piece::Marked(marked.to_owned(), meaning));
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Plain(rest.to_owned()));
        }
        Ok(Self(pieces))
    }
}

/// What is before the first marked part, the part, its name, and what is after it.
fn next_mark(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, rest) = text.split_once('[')?;
    let (marked, rest) = rest.split_once("](")?;
    let (name, after) = rest.split_once(')')?;
    Some((before, marked, name, after))
}

/// The number in a text.
pub fn number_in(text: &str) -> Option<i32> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let from = text.trim_start_matches(|letter| !is_digit(letter));
    from.split(|letter| !is_digit(letter)).next()?.parse().ok()
}

/// A text with its number replaced: `4 pods` with 1 is `1 pod`.
pub fn with_number(text: &str, number: i32) -> String {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let Some((before, _)) = text.split_once(is_digit) else { return text.to_owned() };
    let after = text.strip_prefix(before).unwrap_or_default().trim_start_matches(is_digit);
    let noun = after.strip_suffix('s').unwrap_or(after);
    let (after, ending) = if noun.ends_with("pod") { (noun, if number == 1 { "" } else { "s" }) } else { (after, "") };
    format!("{before}{}{after}{ending}", group_digits(number))
}

impl fmt::Display for StoryText {
    /// As the file has it, without its marks.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.with_numbers(|_| None))
    }
}

impl ToJson for StoryText {
    fn to_json(&self) -> Value {
        Value::from(self.to_string())
    }
}

impl FromJson for StoryText {
    fn empty() -> Self {
        Self::default()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        let text = value.as_str().ok_or_else(|| must_be(value, path, "a string"))?;
        *self = Self::parse(text).map_err(|name| {
            let known: Vec<&str> = MEANINGS.iter().map(|(known, _)| *known).collect();
            must_be(&Value::from(name), path, &format!("{} after the mark", known.join(", ")))
        })?;
        Ok(())
    }
}

impl Figure {
    /// Its value in a lane at a time.
    pub fn value(self, playback: &Playback, lane: usize, time: i64) -> Option<i32> {
        let snapshot = playback.lanes.get(lane)?.track.snapshot_at(playback.moment_at(lane, time))?;
        let counted = snapshot.pods().saturating_sub(snapshot.terminating());
        Some(match self {
            Self::Pods => snapshot.pods(),
            Self::Available => snapshot.available(),
            Self::Starting => counted.saturating_sub(snapshot.available()),
            Self::Terminating => snapshot.terminating(),
            Self::Counted => counted,
            Self::Over => snapshot.over(),
            Self::Limit => snapshot.marks.limit,
            Self::Minimum => snapshot.marks.min_available,
            Self::Peak => playback.totals(lane).peak,
        })
    }

    /// The part of the picture that shows it.
    pub const fn mark(self) -> Option<Mark> {
        Some(match self {
            Self::Pods => Mark::Total,
            Self::Available => Mark::Available,
            Self::Terminating => Mark::Terminating,
            Self::Limit => Mark::Limit,
            Self::Minimum => Mark::MinAvailable,
            Self::Starting | Self::Counted | Self::Over | Self::Peak => return None,
        })
    }
}

impl Draggable {
    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replicas => "Replicas",
            Self::MaxSurge => "maxSurge",
            Self::TimeToStart => "Seconds to start",
            Self::TimeToStop => "Seconds to stop",
        }
    }

    /// The least and the greatest value with which a story's steps happen. `told`: the value in the story's file.
    pub const fn range(self, told: i32) -> (i32, i32) {
        match self {
            Self::Replicas => (3, 12),
            Self::MaxSurge => (1, 2),
            // A pod that starts or stops as fast as others do something else would change the order of the steps.
            Self::TimeToStart | Self::TimeToStop => (told.saturating_add(1) / 2, told.saturating_mul(2)),
        }
    }
}

/// The numbers that the reader has dragged in the text of a chapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DraggedNumbers {
    chapter: usize,
    replicas: Option<i32>,
    max_surge: Option<i32>,
    time_to_start: Option<i32>,
    time_to_stop: Option<i32>,
}

impl DraggedNumbers {
    /// Those of a chapter: none in another one.
    #[must_use]
    pub fn of_chapter(self, chapter: usize) -> Self {
        if self.chapter == chapter { self } else { Self { chapter, ..Self::default() } }
    }

    /// With another value in a chapter.
    #[must_use]
    pub fn with(self, chapter: usize, number: Draggable, value: i32) -> Self {
        let mut dragged = self.of_chapter(chapter);
        let field = match number {
            Draggable::Replicas => &mut dragged.replicas,
            Draggable::MaxSurge => &mut dragged.max_surge,
            Draggable::TimeToStart => &mut dragged.time_to_start,
            Draggable::TimeToStop => &mut dragged.time_to_stop,
        };
        *field = Some(value);
        dragged
    }

    /// A value, if it was dragged.
    pub const fn get(self, number: Draggable) -> Option<i32> {
        match number {
            Draggable::Replicas => self.replicas,
            Draggable::MaxSurge => self.max_surge,
            Draggable::TimeToStart => self.time_to_start,
            Draggable::TimeToStop => self.time_to_stop,
        }
    }

    /// Whether the reader has dragged nothing.
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// The numbers that were dragged, with their values.
    pub fn iter(self) -> impl Iterator<Item = (Draggable, i32)> {
        let all = [Draggable::Replicas, Draggable::MaxSurge, Draggable::TimeToStart, Draggable::TimeToStop];
        all.into_iter().filter_map(move |number| Some((number, self.get(number)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_words_numbers_and_what_can_be_dragged() {
        let text = StoryText::parse("You asked for [3 pods](replicas): [old](old) ones.").unwrap();
        let plain = |text: &str| Piece::Plain(String::from(text));
        let expected = [
            plain("You asked for "),
            Piece::Marked(String::from("3 pods"), Meaning::Dragged(Draggable::Replicas)),
            plain(": "),
            Piece::Marked(String::from("old"), Meaning::Old),
            plain(" ones."),
        ];
        assert_eq!(text.pieces(), expected);
        assert_eq!(text.to_string(), "You asked for 3 pods: old ones.");
        assert_eq!(StoryText::parse("[3](size)"), Err("size"));
    }

    #[test]
    fn a_noun_agrees_with_its_number() {
        let cases = [("3 pods", 1, "1 pod"), ("1 new pod", 2, "2 new pods"), ("4", 5, "5"), ("old", 5, "old")];
        for (text, number, expected) in cases {
            assert_eq!(with_number(text, number), expected);
        }
    }
}
