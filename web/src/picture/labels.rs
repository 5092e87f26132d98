//! Where texts stand. Each label has candidates; the labels get their places by priority, and one that has no room is left out.

/// Half of the height of a line, in pixels.
pub const HALF_LINE: f64 = 9.0;

/// Rounding errors are smaller than this, in pixels.
const ROUNDING: f64 = 0.05;

/// A rectangle, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextBox {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl TextBox {
    /// The box around a point.
    pub const fn around(x: f64, y: f64, half_width: f64, half_height: f64) -> Self {
        Self { left: x - half_width, top: y - half_height, right: x + half_width, bottom: y + half_height }
    }

    /// A text that begins at a place, around a height.
    pub const fn line(left: f64, y: f64, length: f64, half_height: f64) -> Self {
        Self { left, top: y - half_height, right: left + length, bottom: y + half_height }
    }

    /// Everything from one height to another.
    pub const fn rows(top: f64, bottom: f64) -> Self {
        Self { left: f64::NEG_INFINITY, top, right: f64::INFINITY, bottom }
    }

    /// Whether they overlap by more than a rounding error.
    pub fn touches(&self, other: &Self) -> bool {
        let across = self.left + ROUNDING < other.right && other.left + ROUNDING < self.right;
        across && self.top + ROUNDING < other.bottom && other.top + ROUNDING < self.bottom
    }

    /// Whether it is inside another one.
    pub fn is_within(&self, other: &Self) -> bool {
        let across = self.left >= other.left - ROUNDING && self.right <= other.right + ROUNDING;
        across && self.top >= other.top - ROUNDING && self.bottom <= other.bottom + ROUNDING
    }

    /// Its middle.
    pub const fn x(&self) -> f64 {
        f64::midpoint(self.left, self.right)
    }

    /// Its middle.
    pub const fn y(&self) -> f64 {
        f64::midpoint(self.top, self.bottom)
    }

    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    fn height(&self) -> f64 {
        self.bottom - self.top
    }

    const fn moved(&self, right: f64, down: f64) -> Self {
        let Self { left, top, right: end, bottom } = *self;
        Self { left: left + right, top: top + down, right: end + right, bottom: bottom + down }
    }
}

/// What is wrong with the place of a text, as a set of bits. A greater number is worse. Lower numbers are ranks of candidates.
pub mod flaw {
    /// A line strikes it through.
    pub const CROSSED: u8 = 1 << 2;
    /// It stands above the limit, where a reader expects nothing but what is too much.
    pub const IN_ZONE: u8 = 1 << 3;
    /// It covers pods that start, terminate or are above the limit.
    pub const COVERS: u8 = 1 << 4;
    /// The line of a handle strikes it through.
    pub const UNDER_HANDLE: u8 = 1 << 5;
}

/// Something that may be in the way of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    /// Where it is.
    pub area: TextBox,
    /// The flaw of a text that touches it; none if no text may touch it.
    pub flaw: Option<u8>,
}

impl Obstacle {
    /// What no text may touch.
    pub const fn wall(area: TextBox) -> Self {
        Self { area, flaw: None }
    }

    /// What a text should not touch.
    pub const fn flaw(area: TextBox, flaw: u8) -> Self {
        Self { area, flaw: Some(flaw) }
    }
}

/// How far a text may move from its best place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slide {
    /// Not at all.
    Fixed,
    /// To the left or to the right, between two edges.
    Across(f64, f64),
    /// Up or down, between two edges.
    Down(f64, f64),
}

/// A text and a place for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<T> {
    /// What is shown there.
    pub shown: T,
    /// Its best place.
    pub place: TextBox,
    /// How far it may move.
    pub slide: Slide,
    /// From 0 to 3: how good its words are, and how near it stands. The lowest rank without flaws is the best.
    pub rank: u8,
}

impl<T> Candidate<T> {
    /// A text at a place.
    pub const fn new(shown: T, place: TextBox) -> Self {
        Self { shown, place, slide: Slide::Fixed, rank: 0 }
    }

    /// The text may move.
    pub fn sliding(self, slide: Slide) -> Self {
        Self { slide, ..self }
    }

    /// Others are better.
    pub fn ranked(self, rank: u8) -> Self {
        Self { rank, ..self }
    }
}

/// A label with the candidates for its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Label<T> {
    /// The candidates. Of those with the same rank and flaws, the first one is the best.
    pub candidates: Vec<Candidate<T>>,
    /// The flaws that don't matter here.
    pub ignored: u8,
    /// The flaws with which it is not shown.
    pub refused: u8,
}

impl<T> Label<T> {
    /// A label that may cover areas, but no line of a handle.
    pub const fn new(candidates: Vec<Candidate<T>>) -> Self {
        Self { candidates, ignored: flaw::IN_ZONE | flaw::COVERS, refused: flaw::UNDER_HANDLE }
    }
}

/// A label that has a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<T> {
    /// What is shown.
    pub shown: T,
    /// Where.
    pub place: TextBox,
}

/// What is taken in a picture.
#[derive(Clone, Debug, Default)]
pub struct LabelPlacer {
    obstacles: Vec<Obstacle>,
    /// Where the picture is cut open. Candidates are those of the closed picture, everything else of the open one.
    cut: Option<Cut>,
}

impl LabelPlacer {
    /// A picture with obstacles.
    pub fn new(obstacles: impl IntoIterator<Item = Obstacle>, cut: Option<Cut>) -> Self {
        Self { obstacles: obstacles.into_iter().collect(), cut }
    }

    /// Adds what no text may touch.
    pub fn add_wall(&mut self, area: TextBox) {
        self.obstacles.push(Obstacle::wall(area));
    }

    /// The height of a line in the open picture. `y`: its height in the closed one.
    pub fn opened(&self, y: f64) -> f64 {
        self.cut.map_or(y, |cut| cut.opened(y))
    }

    /// Gives each label the best place that those before it, and what is in the way, have left. To make room, one that has its place
    /// may move to another one. A label without room has none.
    pub fn place<T: Clone>(&mut self, labels: &[Label<T>]) -> Vec<Option<Placed<T>>> {
        let placed = self.places(labels);
        self.obstacles.extend(placed.iter().flatten().map(|label| Obstacle::wall(label.place)));
        placed
    }

    /// Places one label.
    pub fn place_one<T: Clone>(&mut self, label: Label<T>) -> Option<Placed<T>> {
        self.place(&[label]).pop().flatten()
    }

    /// Places the first of several groups of labels that has room for all of its labels, or else what has room of the first group.
    /// Returns which one it is, too.
    pub fn place_first<T: Clone>(&mut self, groups: &[Vec<Label<T>>]) -> (usize, Vec<Option<Placed<T>>>) {
        let is_complete = |labels: &Vec<Label<T>>| self.places(labels).iter().all(Option::is_some);
        let index = groups.iter().position(is_complete).unwrap_or(0);
        (index, groups.get(index).map(|labels| self.place(labels)).unwrap_or_default())
    }

    fn places<T: Clone>(&self, labels: &[Label<T>]) -> Vec<Option<Placed<T>>> {
        let open = |label: &Label<T>| {
            let candidates = label.candidates.iter();
            let candidates = candidates.flat_map(|it| self.cut.map_or_else(|| vec![it.clone()], |cut| cut.open(it)));
            Label { candidates: candidates.collect(), ..*label }
        };
        let labels: Vec<Label<T>> = labels.iter().map(open).collect();
        let mut placed: Vec<Option<Placed<T>>> = Vec::with_capacity(labels.len());
        for label in &labels {
            let taken: Vec<TextBox> = placed.iter().flatten().map(|other| other.place).collect();
            match best_place(label, &self.obstacles, &taken) {
                Some(best) => placed.push(Some(best)),
                None => match with_room(label, &placed, &labels, &self.obstacles) {
                    Some(moved) => placed = moved,
                    None => placed.push(None),
                },
            }
        }
        placed
    }
}

/// The labels with one more, for which others make room; none if they can't.
fn with_room<T: Clone>(
    label: &Label<T>,
    placed: &[Option<Placed<T>>],
    labels: &[Label<T>],
    obstacles: &[Obstacle],
) -> Option<Vec<Option<Placed<T>>>> {
    let mut wanted = places(label, obstacles, &[]);
    wanted.sort_by_key(|(flaws, _)| *flaws);
    wanted.into_iter().find_map(|(_, wanted)| {
        let is_clear = |other: &&Placed<T>| !other.place.touches(&wanted.place);
        let mut moved: Vec<Option<Placed<T>>> =
            placed.iter().map(|other| other.as_ref().filter(is_clear).cloned()).collect();
        for index in 0..placed.len() {
            if placed.get(index)?.as_ref().is_none_or(|other| is_clear(&other)) {
                continue;
            }
            let taken: Vec<TextBox> = moved.iter().flatten().chain([&wanted]).map(|other| other.place).collect();
            *moved.get_mut(index)? = Some(best_place(labels.get(index)?, obstacles, &taken)?);
        }
        moved.push(Some(wanted));
        Some(moved)
    })
}

fn best_place<T: Clone>(label: &Label<T>, obstacles: &[Obstacle], taken: &[TextBox]) -> Option<Placed<T>> {
    let places = places(label, obstacles, taken).into_iter();
    places.min_by_key(|(flaws, _)| *flaws).map(|(_, placed)| placed)
}

/// The best free place of each candidate, with its rank and flaws.
fn places<T: Clone>(label: &Label<T>, obstacles: &[Obstacle], taken: &[TextBox]) -> Vec<(u8, Placed<T>)> {
    let best = |candidate: &Candidate<T>| {
        let near: Vec<Obstacle> = near(candidate, obstacles, taken);
        let free = positions(candidate, &near).into_iter().filter_map(|(distance, place)| {
            let flaws = near
                .iter()
                .filter(|obstacle| obstacle.area.touches(&place))
                .try_fold(0, |flaws, obstacle| obstacle.flaw.map(|flaw| flaws | flaw))?;
            let flaws = (flaws & !label.ignored) | candidate.rank;
            (flaws & label.refused == 0).then_some((flaws, distance, place))
        });
        let (flaws, _, place) =
            free.min_by(|(flaws, distance, _), (others, other, _)| flaws.cmp(others).then(distance.total_cmp(other)))?;
        Some((flaws, Placed { shown: candidate.shown.clone(), place }))
    };
    label.candidates.iter().filter_map(best).collect()
}

/// What a candidate can touch, wherever it slides.
fn near<T>(candidate: &Candidate<T>, obstacles: &[Obstacle], taken: &[TextBox]) -> Vec<Obstacle> {
    let place = candidate.place;
    let reach = match candidate.slide {
        Slide::Fixed => place,
        Slide::Across(left, right) => TextBox { left: left.min(place.left), right: right.max(place.right), ..place },
        Slide::Down(top, bottom) => TextBox { top: top.min(place.top), bottom: bottom.max(place.bottom), ..place },
    };
    let all = obstacles.iter().copied().chain(taken.iter().copied().map(Obstacle::wall));
    all.filter(|obstacle| obstacle.area.touches(&reach)).collect()
}

/// The places of a candidate that can be the best one, with their distances: its own, and those right beside what it can touch.
fn positions<T>(candidate: &Candidate<T>, near: &[Obstacle]) -> Vec<(f64, TextBox)> {
    let place = candidate.place;
    let (start, length, first, end) = match candidate.slide {
        Slide::Fixed => return vec![(0.0, place)],
        Slide::Across(from, to) => (place.left, place.width(), from, to),
        Slide::Down(from, to) => (place.top, place.height(), from, to),
    };
    let last = end - length;
    if last < first - ROUNDING {
        return Vec::new();
    }
    let beside = near.iter().flat_map(|obstacle| match candidate.slide {
        Slide::Across(..) => [obstacle.area.left - length, obstacle.area.right],
        _ => [obstacle.area.top - length, obstacle.area.bottom],
    });
    let edges = [start.min(last).max(first), first, last.max(first)];
    let inside = edges.into_iter().chain(beside).filter(|at| (first - ROUNDING..=last + ROUNDING).contains(at));
    let moved = inside.map(|at| {
        let by = at - start;
        let place =
            if matches!(candidate.slide, Slide::Across(..)) { place.moved(by, 0.0) } else { place.moved(0.0, by) };
        (by.abs(), place)
    });
    moved.collect()
}

/// A picture that is cut open at a height, for the row of pods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// The height.
    pub at: f64,
    /// How high the row of pods is.
    pub gap: f64,
}

impl Cut {
    /// The height of a line in the open picture. `y`: its height in the closed one.
    pub const fn opened(&self, y: f64) -> f64 {
        if y > self.at { y + self.gap } else { y }
    }

    /// An area of the closed picture, in the open one: what the row cuts in two is in it twice.
    pub fn open_area(&self, area: TextBox) -> impl Iterator<Item = TextBox> + use<> {
        let above = TextBox { bottom: area.bottom.min(self.at), ..area };
        let below = TextBox { top: area.top.max(self.at) + self.gap, bottom: area.bottom + self.gap, ..area };
        [above, below].into_iter().filter(|part| part.top < part.bottom)
    }

    /// The candidates in the open picture for one in the closed one: above the row and below it, the nearer one first.
    pub fn open<T: Clone>(&self, candidate: &Candidate<T>) -> Vec<Candidate<T>> {
        let height = candidate.place.height();
        let (from, to) = match candidate.slide {
            Slide::Down(from, to) => (from, to),
            _ => (candidate.place.top, candidate.place.bottom),
        };
        let parts = [(from, to.min(self.at), 0.0), (from.max(self.at), to, self.gap)].into_iter();
        let parts = parts.filter(|(from, to, _)| to - from >= height - ROUNDING).map(|(from, to, down)| {
            let top = candidate.place.top.min(to - height).max(from);
            let place = TextBox { top: top + down, bottom: top + height + down, ..candidate.place };
            let slide = match candidate.slide {
                Slide::Down(..) => Slide::Down(from + down, to + down),
                other => other,
            };
            ((top - candidate.place.top).abs(), Candidate { place, slide, ..candidate.clone() })
        });
        let mut parts: Vec<(f64, Candidate<T>)> = parts.collect();
        parts.sort_by(|(distance, _), (other, _)| distance.total_cmp(other));
        parts.into_iter().map(|(_, part)| part).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(x: f64, y: f64) -> Candidate<&'static str> {
        Candidate::new("text", TextBox::around(x, y, 30.0, HALF_LINE))
    }

    fn middle(placed: Option<Placed<&'static str>>) -> Option<(f64, f64)> {
        placed.map(|label| (label.place.x(), label.place.y()))
    }

    /// A picture with the label of a handle, above a row of pods at 200.
    fn placer() -> LabelPlacer {
        let wall = TextBox { left: 40.0, top: 100.0, right: 110.0, bottom: 118.0 };
        LabelPlacer::new([Obstacle::wall(wall)], Some(Cut { at: 200.0, gap: 74.0 }))
    }

    #[test]
    fn a_text_moves_as_far_as_it_has_to_and_may() {
        for (x, y, room, expected) in [
            (200.0, 110.0, 0.0, Some(110.0)),
            (80.0, 60.0, 0.0, Some(60.0)),
            (80.0, 105.0, 18.0, Some(91.0)),
            (80.0, 115.0, 18.0, Some(127.0)),
            (80.0, 109.0, 10.0, None),
            // The row of pods cuts a text, and moves those below it.
            (80.0, 205.0, 0.0, None),
            (80.0, 210.0, 0.0, Some(284.0)),
            (80.0, 203.0, 12.0, Some(283.0)),
        ] {
            let slide = Slide::Down(y - HALF_LINE - room, y + HALF_LINE + room);
            let placed = placer().place_one(Label::new(vec![text(x, y).sliding(slide)]));
            assert_eq!(middle(placed), expected.map(|y| (x, y)), "{x} {y} {room}");
        }
        let across = text(80.0, 110.0).sliding(Slide::Across(0.0, 300.0));
        assert_eq!(middle(placer().place_one(Label::new(vec![across]))), Some((140.0, 110.0)));
    }

    #[test]
    fn the_best_candidate_is_the_one_with_the_least_flaws_and_then_the_lowest_rank() {
        let line = TextBox { left: 96.0, top: 0.0, right: 104.0, bottom: 50.0 };
        let place = |flaw: u8, label: Label<&'static str>| {
            let mut placer = LabelPlacer::new([Obstacle::flaw(line, flaw)], None);
            middle(placer.place_one(label))
        };
        let candidates = || vec![text(100.0, 20.0), text(200.0, 20.0).ranked(2), text(300.0, 20.0).ranked(1)];
        assert_eq!(place(flaw::CROSSED, Label::new(candidates())), Some((300.0, 20.0)));
        assert_eq!(place(flaw::IN_ZONE, Label::new(candidates())), Some((100.0, 20.0)), "it may stand there");
        let only = || Label::new(vec![text(100.0, 20.0)]);
        assert_eq!(place(flaw::CROSSED, only()), Some((100.0, 20.0)));
        assert_eq!(place(flaw::UNDER_HANDLE, only()), None, "no text stands on the line of a handle");
    }

    #[test]
    fn a_label_makes_room_for_one_that_has_no_other_place() {
        let either = Label::new(vec![text(100.0, 20.0), text(200.0, 20.0)]);
        let only = Label::new(vec![text(100.0, 20.0)]);
        let placed = LabelPlacer::default().place(&[either, only.clone(), only]);
        let places: Vec<_> = placed.into_iter().map(middle).collect();
        assert_eq!(places, [Some((200.0, 20.0)), Some((100.0, 20.0)), None]);
    }

    #[test]
    fn labels_are_placed_together_or_in_another_way() {
        let only = |x: f64| Label::new(vec![text(x, 20.0)]);
        let two = |x: f64, other: f64| vec![only(x), only(other)];
        let place = |groups: &[Vec<Label<&'static str>>]| {
            let (group, placed) = LabelPlacer::default().place_first(groups);
            (group, placed.into_iter().flatten().count())
        };
        assert_eq!(place(&[two(100.0, 160.0), two(100.0, 100.0)]), (0, 2));
        assert_eq!(place(&[two(100.0, 159.0), vec![only(100.0)]]), (1, 1));
        assert_eq!(place(&[two(100.0, 100.0), two(50.0, 60.0)]), (0, 1), "what has room of the first");
    }

    proptest! {
        #[test]
        fn no_label_touches_another_one_or_a_wall(
            labels in prop::collection::vec(prop::collection::vec((0..400, 0..300, 0..40), 1..4), 1..12),
            walls in prop::collection::vec((0..400, 0..300, 1..50), 0..6),
            cut in 0..300,
        ) {
            let cut = Cut { at: f64::from(cut), gap: 74.0 };
            let label = |places: &Vec<(i32, i32, i32)>| {
                let candidates = places.iter().map(|(x, y, room)| {
                    let it = text(f64::from(*x), f64::from(*y));
                    let (TextBox { left, top, right, bottom }, room) = (it.place, f64::from(*room));
                    it.sliding(if x < y { Slide::Across(left - room, right + room) } else { Slide::Down(top - room, bottom + room) })
                });
                Label::new(candidates.collect())
            };
            let walls = walls.iter().map(|(x, y, half)| TextBox::around(f64::from(*x), f64::from(*y), f64::from(*half), 9.0));
            let row = TextBox::rows(cut.at, cut.at + cut.gap);
            let obstacles: Vec<Obstacle> = walls.chain([row]).map(Obstacle::wall).collect();
            let mut placer = LabelPlacer::new(obstacles.clone(), Some(cut));
            let placed = placer.place(&labels.iter().map(label).collect::<Vec<_>>());
            let places: Vec<TextBox> = placed.into_iter().flatten().map(|label| label.place).collect();
            for (index, place) in places.iter().enumerate() {
                let others = places.iter().skip(index.saturating_add(1)).chain(obstacles.iter().map(|it| &it.area));
                for other in others {
                    prop_assert!(!place.touches(other), "{place:?} {other:?}");
                }
            }
        }
    }
}
