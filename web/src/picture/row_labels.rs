//! How many pods of each kind there are: the texts in the row of pods.

use changeover_core::timeline::Marks;

use super::areas::{Group, GroupSpan};
use super::classes::band_class;
use super::geometry::Geometry;
use super::labels::{Candidate, Label, LabelPlacer, Obstacle, Placed, Slide, TextBox, flaw};
use super::text_width::Weight;
use crate::number::group_digits;
use crate::playback::Band;

/// How far beside its tiles a text may begin, in pixels.
const MAX_SHIFT: f64 = 14.0;

/// A line that leads to a text ends inside this share of it.
const LETTERS: f64 = 0.75;

/// Neighboring groups that share a text: pods in one state, unless their versions have names of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupRun<'a> {
    pub spans: &'a [GroupSpan],
    /// The first group.
    pub group: Group,
    /// Its first column.
    from: i32,
    /// Behind its last column.
    to: i32,
}

impl<'a> GroupRun<'a> {
    /// The runs of groups, from left to right.
    pub fn all(spans: &'a [GroupSpan]) -> Vec<Self> {
        let share_text = |span: &GroupSpan, next: &GroupSpan| {
            let (group, next) = (span.group, next.group);
            let are_one_version = name_index(group) == name_index(next);
            group.band == next.band && (group.band != Band::Available || are_one_version)
        };
        let runs = spans.chunk_by(share_text).filter_map(|spans| {
            let (first, last) = spans.first().zip(spans.last())?;
            Some(Self { spans, group: first.group, from: first.from, to: last.to })
        });
        runs.collect()
    }

    /// What they are and how many, with the number of each group; without these numbers; and without what they are.
    fn texts(&self, names: [&'static str; 3]) -> [String; 3] {
        let pods = |from: i32, to: i32| group_digits(to.saturating_sub(from));
        let count = pods(self.from, self.to);
        let noun = match self.group.band {
            Band::Available => names.get(name_index(self.group)).copied().unwrap_or_default(),
            band => band_class(band),
        };
        let named = format!("{count} {noun}");
        let detailed = match self.spans {
            [_] => named.clone(),
            spans => {
                let parts: Vec<String> = spans.iter().map(|span| pods(span.from, span.to)).collect();
                format!("{named}: {}", parts.join(", "))
            }
        };
        [detailed, named, count]
    }
}

/// Which of the versions' names a group has.
fn name_index(group: Group) -> usize {
    group.replica_set.min(2)
}

/// A text in the row of pods.
#[derive(Clone, Debug, PartialEq)]
pub struct RowText {
    pub text: String,
    /// Where a line from its tiles to it begins, if it does not stand above them.
    leader: Option<f64>,
}

impl Placed<RowText> {
    /// Where the line from its tiles to it begins and ends, if there is one.
    pub fn leader(&self) -> Option<(f64, f64)> {
        let from = self.shown.leader?;
        let letters = LETTERS * self.place.width() / 2.0;
        Some((from, from.max(self.place.x() - letters).min(self.place.x() + letters)))
    }
}

/// Where texts stand in the row of pods.
pub struct RowSpace<'a> {
    /// The scales.
    pub geometry: &'a Geometry,
    /// The marks of the moment.
    pub marks: Marks,
    /// The middle of the texts above the tiles, and that of those below them.
    pub heights: [f64; 2],
    /// The handles in the picture, from the upper edge of the row.
    pub handles: Vec<Obstacle>,
}

/// The texts in the row of pods.
#[derive(Debug, PartialEq)]
pub struct RowLabels {
    /// How many pods each run of groups has. That of terminating pods may say it of those before them, too.
    pub runs: Vec<Option<Placed<RowText>>>,
    /// How many pods are over the limit.
    pub over: Option<Placed<RowText>>,
}

impl RowLabels {
    /// A text for each run or, if one would have none, one for the starting and the terminating pods together.
    pub fn new(runs: &[GroupRun<'_>], names: [&'static str; 3], over: i32, space: &RowSpace<'_>) -> Self {
        let over = space.over(over);
        // Terminating pods are those that nobody expects. Of the others, many are more important than few.
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_by_key(|index| {
            let run = runs.get(*index);
            run.map(|run| (run.group.band != Band::Terminating, run.from.saturating_sub(run.to)))
        });
        let label = |index: &usize| {
            let before = index.checked_sub(1).and_then(|before| runs.get(before));
            Some(space.run(runs.get(*index)?, before, names))
        };
        let mut groups = vec![[over.clone()].into_iter().chain(order.iter().filter_map(label)).collect::<Vec<_>>()];
        if let [.., starting, terminating] = runs {
            let are_in_transit = (starting.group.band, terminating.group.band) == (Band::Starting, Band::Terminating);
            let last = runs.len().saturating_sub(2);
            let others = order.iter().filter(|index| **index < last).filter_map(label);
            let joined = space.joined(starting, terminating, names);
            groups.extend(are_in_transit.then(|| [over, joined].into_iter().chain(others).collect()));
        }
        let mut placer = LabelPlacer::new(space.obstacles(), None);
        let (group, placed) = placer.place_first(&groups);
        let mut placed = placed.into_iter();
        let over = placed.next().flatten();
        let mut shown: Vec<Option<Placed<RowText>>> = vec![None; runs.len()];
        let last = runs.len().saturating_sub(1);
        let places = match group {
            0 => order,
            _ => [last].into_iter().chain(order.into_iter().filter(|index| index.saturating_add(1) < last)).collect(),
        };
        for (index, label) in places.into_iter().zip(placed) {
            if let Some(place) = shown.get_mut(index) {
                *place = label;
            }
        }
        Self { runs: shown, over }
    }
}

impl RowSpace<'_> {
    /// The handles and the lines of the marks.
    fn obstacles(&self) -> Vec<Obstacle> {
        let line = |x: f64| TextBox { left: x, right: x, ..TextBox::rows(f64::NEG_INFINITY, f64::INFINITY) };
        let lines = self.geometry.marks(self.marks).map(|x| Obstacle::flaw(line(x), flaw::CROSSED));
        self.handles.iter().copied().chain(lines).collect()
    }

    fn length(&self, text: &str) -> f64 {
        self.geometry.text_length(text, Weight::Semibold)
    }

    fn line(&self, left: f64, y: f64, length: f64) -> TextBox {
        TextBox::line(left, y, length, self.geometry.line() / 2.0)
    }

    /// How far right a text about columns may reach: beyond the limit, it would seem to be about pods that are too many, unless it has
    /// no room before it.
    fn end(&self, to: i32, length: f64) -> f64 {
        let limit = self.geometry.x(self.marks.limit);
        if to <= self.marks.limit && length <= limit { limit } else { self.geometry.width }
    }

    /// How many pods a run has: above its tiles if it fits there, or else near them, with a line to it.
    fn run(&self, run: &GroupRun<'_>, before: Option<&GroupRun<'_>>, names: [&'static str; 3]) -> Label<RowText> {
        let [above, _] = self.heights;
        let (left, right) = (self.geometry.x(run.from), self.geometry.x(run.to));
        let texts = run.texts(names);
        let [_, named, count] = &texts;
        let mut candidates = Vec::new();
        if let Some(text) = texts.iter().find(|text| self.length(text) <= right - left) {
            let length = self.length(text);
            let place = self.line(f64::midpoint(left, right) - length / 2.0, above, length);
            let shown = RowText { text: text.clone(), leader: None };
            let rank = if text == count { 2 } else { 0 };
            candidates.push(Candidate::new(shown, place).sliding(Slide::Across(left, right)).ranked(rank));
        }
        let is_terminating = run.group.band == Band::Terminating;
        if is_terminating {
            // The last pods may have free room behind them.
            let length = self.length(named);
            let neighbor = before.map_or(0.0, |before| self.geometry.x(before.from));
            let shown = RowText { text: named.clone(), leader: None };
            let slide = Slide::Across(neighbor, (left + length).min(self.end(run.to, length)));
            candidates.push(Candidate::new(shown, self.line(left, above, length)).sliding(slide).ranked(1));
        }
        for (text, rank) in [(named, 1), (count, 3)] {
            candidates.extend(self.led(run.from, run.to, text, rank, !is_terminating));
        }
        Label { candidates, ignored: 0, refused: 0 }
    }

    /// The starting and the terminating pods in one text below their tiles.
    fn joined(&self, starting: &GroupRun<'_>, terminating: &GroupRun<'_>, names: [&'static str; 3]) -> Label<RowText> {
        let [[_, first, _], [_, second, _]] = [starting, terminating].map(|run| run.texts(names));
        let candidates = self.led(starting.from, terminating.to, &format!("{first}, {second}"), 0, true);
        Label { candidates: candidates.into_iter().take(1).collect(), ignored: 0, refused: 0 }
    }

    /// A text near its tiles, with a line to it. It is not so far away that it would seem to belong to something else.
    fn led(&self, from: i32, to: i32, text: &str, rank: u8, is_below_first: bool) -> Vec<Candidate<RowText>> {
        let [above, below] = self.heights;
        let length = self.length(text);
        let middle = f64::midpoint(self.geometry.x(from), self.geometry.x(to));
        let reach = (LETTERS + 1.0) * length / 2.0 + MAX_SHIFT;
        let slide = Slide::Across((middle - reach).max(0.0), (middle + reach).min(self.end(to, length)));
        let shown = RowText { text: String::from(text), leader: Some(middle) };
        let heights = if is_below_first { [below, above] } else { [above, below] };
        let candidate = |y: f64| {
            let place = self.line(middle - length / 2.0, y, length);
            Candidate::new(shown.clone(), place).sliding(slide).ranked(rank)
        };
        heights.map(candidate).to_vec()
    }

    /// How many pods are above the limit: right of the limit, unless the picture ends before the text.
    fn over(&self, over: i32) -> Label<RowText> {
        let (geometry, limit) = (self.geometry, self.geometry.x(self.marks.limit));
        let short = format!("{} over", group_digits(over));
        let long = format!("{short} the limit");
        let weight = if over > 0 { Weight::Bold } else { Weight::Normal };
        let fits = over > 0 && limit + geometry.text_length(&long, weight) <= geometry.width;
        let text = if fits { long } else { short };
        let length = geometry.text_length(&text, weight);
        let left = (limit + 2.0).min(geometry.width - length).max(0.0);
        let [above, below] = self.heights;
        let shown = RowText { text, leader: None };
        let candidates = [below, above].map(|y| Candidate::new(shown.clone(), self.line(left, y, length)));
        Label { candidates: candidates.to_vec(), ignored: flaw::CROSSED, refused: 0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Groups from left to right: their band, their ReplicaSet and how many pods they have.
    fn spans(groups: &[(Band, usize, i32)]) -> Vec<GroupSpan> {
        let mut from = 0;
        let spans = groups.iter().map(|(band, replica_set, count)| {
            let group = Group { band: *band, replica_set: *replica_set };
            let span = GroupSpan { group, from, to: from.saturating_add(*count) };
            from = span.to;
            span
        });
        spans.filter(|span| span.from < span.to).collect()
    }

    /// Old, new, starting and terminating pods.
    fn groups([old, new, starting, terminating]: [i32; 4]) -> Vec<(Band, usize, i32)> {
        vec![
            (Band::Available, 0, old),
            (Band::Available, 1, new),
            (Band::Starting, 1, starting),
            (Band::Terminating, 0, terminating),
        ]
    }

    fn geometry(width: f64, columns: f64) -> Geometry {
        Geometry::of_size([width, 200.0], columns)
    }

    /// The texts, and what is in their way. `handles`: whether the lines have handles at the top of the row.
    fn labels(
        groups: &[(Band, usize, i32)],
        [min_available, desired, limit]: [i32; 3],
        geometry: &Geometry,
        handles: bool,
    ) -> (RowLabels, Vec<TextBox>) {
        let spans = spans(groups);
        let marks = Marks { desired, limit, min_available };
        let pods = spans.last().map_or(0, |span| span.to);
        let [minimum_x, _, limit_x] = geometry.marks(marks);
        let handles = [minimum_x, limit_x].into_iter().filter(|_| handles);
        let handles: Vec<TextBox> = handles.map(|x| TextBox::around(x, 2.0, 7.0, 10.0)).collect();
        let heights = [10.5, 59.5].map(|y| 37.0 + (y - 37.0) * geometry.text_scale);
        let space =
            RowSpace { geometry, marks, heights, handles: handles.iter().copied().map(Obstacle::wall).collect() };
        let over = pods.saturating_sub(limit).max(0);
        (RowLabels::new(&GroupRun::all(&spans), ["old", "new", "newest"], over, &space), handles)
    }

    fn texts(labels: &RowLabels) -> Vec<&str> {
        labels.runs.iter().flatten().map(|label| label.shown.text.as_str()).collect()
    }

    /// The pods that a text is about: of "10 starting, 5 terminating", both numbers, and of "7 starting: 4, 3", the first one.
    fn pods_of(text: &str) -> i32 {
        let parts = text.split(", ").enumerate().filter(|(index, part)| *index == 0 || part.contains(' '));
        parts.filter_map(|(_, part)| part.split([' ', ':']).next()?.parse::<i32>().ok()).sum()
    }

    #[test]
    fn groups_in_one_state_share_a_text() {
        use Band::{Available, Starting, Terminating};
        let groups = [
            (Available, 0, 6),
            (Available, 1, 5),
            (Starting, 1, 4),
            (Starting, 2, 3),
            (Terminating, 0, 1),
            (Terminating, 1, 1),
        ];
        let shown = |width: f64| labels(&groups, [12, 15, 20], &geometry(width, 24.0), false).0;
        assert_eq!(texts(&shown(480.0)), ["6 old", "5 new", "7 starting: 4, 3", "2 terminating"]);
        assert_eq!(texts(&shown(300.0)), ["6 old", "5 new", "7 starting", "2 terminating"]);
    }

    #[test]
    fn the_numbers_of_the_row_add_up_to_its_pods() {
        use Band::{Available, Starting, Terminating};
        for (groups, marks, columns) in [
            // Three versions: the groups behind the first two are thin.
            (
                vec![
                    (Available, 0, 64),
                    (Available, 1, 38),
                    (Available, 2, 23),
                    (Starting, 1, 8),
                    (Starting, 2, 2),
                    (Terminating, 0, 5),
                ],
                [110, 130, 140],
                167.0,
            ),
            // Pods are over the limit, and the group before it is thin.
            (
                vec![
                    (Available, 0, 71),
                    (Available, 1, 35),
                    (Available, 2, 24),
                    (Starting, 2, 10),
                    (Terminating, 0, 15),
                ],
                [130, 130, 140],
                167.0,
            ),
            (
                vec![(Available, 0, 80), (Available, 1, 36), (Starting, 1, 11), (Starting, 2, 9), (Starting, 0, 5)],
                [110, 130, 145],
                173.0,
            ),
            // The first group is thin, and many pods are over the limit.
            (
                vec![(Available, 0, 10), (Available, 1, 90), (Starting, 1, 10), (Terminating, 0, 90)],
                [90, 100, 110],
                201.0,
            ),
            (vec![(Available, 0, 8), (Available, 1, 10), (Terminating, 0, 1), (Terminating, 1, 1)], [15, 15, 20], 24.0),
            // A pod is less than a tenth of a pixel wide.
            (groups([9_900, 9, 70, 21]), [7_500, 10_000, 12_500], 14_882.0),
            (groups([500, 250, 0, 500]), [750, 1_000, 1_250], 2_001.0),
        ] {
            for width in [224.0, 264.0, 288.0, 405.0, 560.0, 700.0] {
                let (shown, _) = labels(&groups, marks, &geometry(width, columns), false);
                let pods = texts(&shown).into_iter().map(|text| pods_of(&text.replace(',', ""))).sum::<i32>();
                let terminating = groups.last().is_some_and(|(band, ..)| *band == Terminating);
                let is_named = texts(&shown).iter().any(|text| text.contains(" terminating"));
                assert_eq!(is_named, terminating, "{width}: {shown:?}");
                let expected = groups.iter().map(|(.., count)| count).sum::<i32>();
                assert!(pods == expected || columns > 1_000.0 && width < 405.0, "{width}: {shown:?}");
            }
        }
    }

    #[test]
    fn terminating_pods_are_named_at_their_own_tiles() {
        let terminating = |counts: [i32; 4], width: f64| {
            let (RowLabels { runs, over }, _) = labels(&groups(counts), [12, 15, 19], &geometry(width, 27.0), false);
            let is_below = |label: &Placed<RowText>| label.place.y() > 37.0;
            let [terminating, over] = [runs.last().cloned().flatten().unwrap(), over.unwrap()];
            (terminating.shown.text.clone(), is_below(&terminating), terminating.place, is_below(&over))
        };
        // The tiles have the room.
        let (text, is_below, place, is_over_below) = terminating([5, 7, 7, 7], 600.0);
        assert_eq!((text.as_str(), is_below, is_over_below), ("7 terminating", false, true));
        assert!((place.x() - 500.0).abs() < 1.0, "{place:?}");
        // There is room behind them.
        let (text, is_below, place, _) = terminating([5, 7, 7, 7], 340.0);
        assert_eq!((text.as_str(), is_below), ("7 terminating", false));
        assert!(place.right > 19.0 / 27.0 * 340.0, "{place:?}");
        // Within the limit, it ends there.
        let (text, _, place, _) = terminating([8, 4, 3, 4], 264.0);
        assert_eq!(text, "4 terminating");
        assert!(place.right <= 19.0 / 27.0 * 264.0 + 0.1, "{place:?}");
    }

    #[test]
    fn how_many_pods_are_over_the_limit_is_said_inside_the_row() {
        let text = |counts: [i32; 4], width: f64| {
            let (RowLabels { over, .. }, _) = labels(&groups(counts), [12, 15, 19], &geometry(width, 27.0), false);
            let over = over.unwrap();
            assert!(over.place.left >= 0.0 && over.place.right <= width + 0.01, "{over:?} of {width}");
            over.shown.text
        };
        assert_eq!(text([15, 0, 0, 7], 700.0), "3 over the limit");
        assert_eq!(text([15, 0, 0, 7], 264.0), "3 over");
        assert_eq!(text([15, 0, 0, 0], 700.0), "0 over");
    }

    proptest! {
        #[test]
        fn the_texts_of_the_row_are_inside_it_and_touch_nothing(
            counts in [0..20, 0..20, 0..20, 0..20],
            marks in [0..20, 0..5, 0..10],
            width in 150.0..900.0,
            text_scale in prop_oneof![Just(1.0), Just(2.0)],
            handles: bool,
        ) {
            let [minimum, desired, limit] = marks;
            let desired = minimum + desired;
            let columns = f64::from(counts.iter().sum::<i32>().max(desired + limit)) + 4.0;
            let geometry = Geometry { text_scale, ..geometry(width, columns) };
            let (shown, handles) = labels(&groups(counts), [minimum, desired, desired + limit], &geometry, handles);
            let limit = geometry.x(desired + limit);
            let places: Vec<TextBox> = shown.runs.iter().flatten().chain(&shown.over).map(|label| label.place).collect();
            for (index, place) in places.iter().enumerate() {
                prop_assert!(place.left >= -0.1 && place.right <= width + 0.1, "{shown:?}");
                let others = places.iter().skip(index.saturating_add(1)).chain(&handles);
                for other in others {
                    prop_assert!(!place.touches(other), "{other:?}: {shown:?}");
                }
            }
            let spans = spans(&groups(counts));
            for (run, label) in GroupRun::all(&spans).iter().zip(&shown.runs) {
                let Some(label) = label.as_ref().filter(|label| label.place.width() <= limit) else { continue };
                let is_beyond = label.place.right > limit + 0.1;
                prop_assert!(!is_beyond || geometry.x(run.to) > limit - 0.1, "no text about pods within the limit: {shown:?}");
            }
        }
    }
}
