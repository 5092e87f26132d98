//! The lines at which something ends in a lane, and their texts.

use super::areas::{Areas, PictureText};
use super::geometry::Geometry;
use super::labels::{Candidate, Label, LabelPlacer, Placed, TextBox};
use super::text_width::Weight;
use crate::playback::{LaneEnd, Playback};

/// The line at which something ends in a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    text: String,
    short_text: String,
    /// Its height in the closed picture.
    pub y: f64,
}

impl End {
    /// The end of something in a lane.
    pub fn new(end: &LaneEnd, playback: &Playback, geometry: &Geometry) -> Self {
        let clock = playback.clock(end.time);
        let text = format!("{} {clock}", end.name);
        Self { text, short_text: format!("{} {clock}", end.short_name), y: geometry.y(end.time) }
    }
}

/// The texts of lines that are so close that no text fits between them.
#[derive(Debug, PartialEq)]
pub struct EndLabels {
    /// The texts.
    pub texts: Vec<Placed<PictureText>>,
    /// The highest and the lowest line, if one text names all of them.
    pub joined: Option<[f64; 2]>,
}

/// Places the texts of ends that are sorted by their heights: of two close ones, one above the first line and one below the last line;
/// else one for all close ones.
pub fn end_labels(ends: &[End], areas: &Areas, geometry: &Geometry, placer: &mut LabelPlacer) -> Vec<EndLabels> {
    let are_close = |end: &End, next: &End| placer.opened(next.y) - placer.opened(end.y) < 2.0 * geometry.half_line();
    let close_ends: Vec<&[End]> = ends.chunk_by(are_close).collect();
    close_ends.into_iter().map(|ends| group_labels(ends, areas, geometry, placer)).collect()
}

fn group_labels(ends: &[End], areas: &Areas, geometry: &Geometry, placer: &mut LabelPlacer) -> EndLabels {
    let [above, below] = [-1.0, 1.0].map(|side| move |end: &End| end.y + side * geometry.half_line());
    let (Some(first), Some(last)) = (ends.first(), ends.last()) else {
        return EndLabels { texts: Vec::new(), joined: None };
    };
    let joined = |text: fn(&End) -> &str| ends.iter().map(text).collect::<Vec<&str>>().join(", ");
    let texts = [joined(|end| &end.text), joined(|end| &end.short_text)];
    let one = vec![end_label(&texts, &[above(first), below(last)], areas, geometry)];
    let own = |end: &End, y: f64| end_label(&[end.text.clone(), end.short_text.clone()], &[y], areas, geometry);
    let groups = match ends {
        [first, last] => vec![vec![own(first, above(first)), own(last, below(last))], one],
        _ => vec![one],
    };
    let is_one = |index: usize| groups.get(index).is_some_and(|labels| labels.len() == 1);
    let (index, placed) = placer.place_first(&groups);
    let joined = (is_one(index) && ends.len() > 1).then(|| [first, last].map(|end| placer.opened(end.y)));
    EndLabels { texts: placed.into_iter().flatten().collect(), joined }
}

/// A text on the right, up to the limit, or else on the left. Only if there is no other place, it stands above the limit, or even covers
/// pods that start, terminate or are above the limit.
fn end_label(texts: &[String; 2], heights: &[f64], areas: &Areas, geometry: &Geometry) -> Label<PictureText> {
    let half_text = geometry.half_line() - 1.0;
    let is_inside = |y: &&f64| (half_text..=geometry.height - half_text).contains(*y);
    let mut candidates = Vec::new();
    for (text, rank) in texts.iter().zip(0..) {
        let length = geometry.text_length(text, Weight::Semibold);
        for y in heights.iter().filter(is_inside) {
            let at = |left: f64| TextBox::line(left, *y, length, half_text);
            let limit = areas.zone_left(at(0.0), geometry.width);
            for left in [limit - length, 0.0, geometry.width - length].into_iter().filter(|left| *left >= 0.0) {
                candidates.push(Candidate::new(PictureText::new("end", text.clone()), at(left)).ranked(rank));
            }
        }
    }
    // The right side first, at any height.
    candidates.sort_by_key(|candidate| candidate.place.left <= 0.0);
    Label { ignored: 0, ..Label::new(candidates) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::labels::{Cut, Obstacle, flaw};

    const COMPLETE: (&str, &str) = ("complete 0:30", "done 0:30");
    const GONE: (&str, &str) = ("last old pod gone 0:27", "gone 0:27");
    /// More than the lengths of the short and of the long text about pods that are gone.
    const SHORT: f64 = 85.0;
    const LONGER: f64 = 180.0;

    fn end((text, short_text): (&str, &str), y: f64) -> End {
        End { text: String::from(text), short_text: String::from(short_text), y }
    }

    /// The texts of ends in a picture of 300 pixels above the row of pods: the text, whether it ends at the right edge or at the limit,
    /// and its height.
    fn placed(ends: &[End], width: f64, areas: &Areas, handles: &[Obstacle]) -> Vec<(String, bool, f64)> {
        let geometry = Geometry::of_size([width, 300.0], 20.0);
        let lines = ends.iter().map(|end| Obstacle::wall(TextBox::rows(end.y, end.y)));
        let zones = areas.zones.iter().map(|zone| Obstacle::flaw(*zone, flaw::IN_ZONE));
        let pods = areas.in_transit.iter().map(|pods| Obstacle::flaw(*pods, flaw::COVERS));
        let obstacles = handles.iter().copied().chain(lines).chain(zones).chain(pods);
        let mut placer = LabelPlacer::new(obstacles, Some(Cut { at: 300.0, gap: 74.0 }));
        let labels = end_labels(ends, areas, &geometry, &mut placer).into_iter().flat_map(|labels| labels.texts);
        labels.map(|label| (label.shown.text, label.place.left > 0.0, label.place.y())).collect()
    }

    fn expect(expected: &[(&str, bool, f64)]) -> Vec<(String, bool, f64)> {
        expected.iter().map(|(text, is_right, y)| (String::from(*text), *is_right, *y)).collect()
    }

    #[test]
    fn the_line_of_an_end_has_its_text_wherever_there_is_room() {
        let nothing = Vec::new;
        let handle =
            |left: f64, top: f64, right: f64, bottom: f64| vec![Obstacle::wall(TextBox { left, top, right, bottom })];
        let line = TextBox { left: 240.0, top: 0.0, right: 248.0, bottom: 300.0 };
        let line = vec![Obstacle::flaw(line, flaw::UNDER_HANDLE)];
        let complete = |y: f64| vec![end(COMPLETE, y)];
        let both = |y: f64| vec![end(GONE, y - 12.0), end(COMPLETE, y)];
        for (ends, width, handles, expected) in [
            (complete(200.0), 276.0, nothing(), vec![(COMPLETE.0, true, 191.0)]),
            (complete(300.0), 276.0, nothing(), vec![(COMPLETE.0, true, 291.0)]),
            (complete(4.0), 276.0, nothing(), vec![(COMPLETE.0, true, 13.0)]),
            // Something is above the line, or on both sides of it.
            (complete(200.0), 276.0, handle(200.0, 180.0, 276.0, 199.0), vec![(COMPLETE.0, true, 209.0)]),
            (complete(200.0), 276.0, handle(200.0, 180.0, 276.0, 220.0), vec![(COMPLETE.0, false, 191.0)]),
            // The line of a handle would cross it.
            (complete(200.0), 276.0, line, vec![(COMPLETE.0, false, 191.0)]),
            // Only the short text fits.
            (vec![end(GONE, 200.0)], 100.0, nothing(), vec![(GONE.1, true, 191.0)]),
            (complete(200.0), 50.0, nothing(), vec![]),
            (complete(200.0), 276.0, handle(0.0, 0.0, 276.0, 300.0), vec![]),
            // Two lines that are close to each other: each text stands at its own line.
            (both(200.0), 276.0, nothing(), vec![(GONE.0, true, 179.0), (COMPLETE.0, true, 209.0)]),
            // There is no room below the last line: one text for both.
            (both(300.0), 400.0, nothing(), vec![("last old pod gone 0:27, complete 0:30", true, 279.0)]),
            (both(300.0), 200.0, nothing(), vec![("gone 0:27, done 0:30", true, 279.0)]),
        ] {
            let shown = placed(&ends, width, &Areas::default(), &handles);
            assert_eq!(shown, expect(&expected), "{ends:?}, {width}");
        }
    }

    #[test]
    fn the_text_of_an_end_covers_no_pods_that_it_is_about_and_stands_in_the_zone_only_without_another_place() {
        let area = |left: f64, right: f64| TextBox { left, top: 0.0, right, bottom: 300.0 };
        for (zone, pods, expected) in [
            (area(300.0, 400.0), None, (GONE.0, true)),
            (area(300.0, 400.0), Some(area(LONGER, 300.0)), (GONE.0, false)),
            (area(100.0, 400.0), None, (GONE.1, true)),
            (area(SHORT / 2.0, 400.0), None, (GONE.0, true)),
            (area(300.0, 400.0), Some(area(0.0, 300.0 - SHORT)), (GONE.1, true)),
            (area(400.0 - LONGER, 400.0), Some(area(0.0, 400.0 - LONGER)), (GONE.0, true)),
        ] {
            let areas = Areas { in_transit: pods.into_iter().collect(), zones: vec![zone], ..Areas::default() };
            let shown = placed(&[end(GONE, 200.0)], 400.0, &areas, &[]);
            let shown: Vec<_> = shown.iter().map(|(text, is_right, _)| (text.as_str(), *is_right)).collect();
            assert_eq!(shown, [expected], "{zone:?} {pods:?}");
        }
    }
}
