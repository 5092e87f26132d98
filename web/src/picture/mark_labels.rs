//! What the lines and the columns of a picture mean, above it.

use std::rc::Rc;

use changeover_core::timeline::Marks;
use yew::{Html, Properties, classes, component, html, use_memo};

use super::geometry::Geometry;
use super::labels::{Candidate, Label, LabelPlacer, Placed, Slide, TextBox};
use super::text_width::Weight;
use crate::number::{count_to_f64, group_digits, px};
use crate::playback::{JobColumns, Lane, Moment, Playback};

/// Half of the width of the handle of a line, in pixels.
const HALF_HANDLE: f64 = 8.0;

/// The height of a row of labels, in pixels.
const ROW: f64 = 18.0;

/// The properties of [`MarkLabels`].
#[derive(PartialEq, Properties)]
pub struct MarkLabelsProps {
    /// All lanes.
    pub playback: Rc<Playback>,
    /// The lane.
    pub lane: usize,
    /// The scales.
    pub geometry: Rc<Geometry>,
    /// The moment.
    pub moment: Moment,
    /// Whether the lines have handles.
    pub has_handles: bool,
}

/// What the lines in a lane's picture mean, above it.
#[component]
pub fn MarkLabels(props: &MarkLabelsProps) -> Html {
    let MarkLabelsProps { playback, lane, geometry, moment, has_handles } = props;
    let handle = if *has_handles { HALF_HANDLE * geometry.text_scale } else { 0.0 };
    // What is below the labels stays where it is while the marks change.
    let most_rows = use_memo((playback.clone(), geometry.clone(), handle), |(playback, geometry, handle)| {
        let of_lane = |lane: &Rc<Lane>| {
            let snapshots = lane.track.snapshots_from_zero();
            snapshots.map(|it| rows(&place(it.marks, lane.track.pod_quota, *handle, geometry))).max()
        };
        playback.lanes.iter().filter_map(of_lane).max().unwrap_or(1)
    });
    let lane = playback.lanes.get(*lane);
    let Some((lane, snapshot)) = lane.and_then(|lane| Some((lane, lane.track.snapshot_at(*moment)?))) else {
        return Html::default();
    };
    let class = classes!("mark-labels", (*most_rows > 1).then_some("tall"));
    html! {
        <div {class} style={format!("--rows:{most_rows}")} aria-hidden="true">
            { for place(snapshot.marks, lane.track.pod_quota, handle, geometry).iter().map(|label| label.shown.view(label.place, geometry)) }
        </div>
    }
}

/// What the columns of a Job are, above its picture.
pub fn column_labels(columns: &JobColumns, geometry: &Geometry) -> Html {
    const NUMBER_WIDTH: f64 = 22.0;
    let width = geometry.column_width();
    let number_width = NUMBER_WIDTH * geometry.text_scale;
    // Where there is no room for every number, only some are said.
    let every = (1..).find(|every| count_to_f64(*every) * width >= number_width).unwrap_or(1);
    let percent = |x: f64| px(100.0 * x / geometry.width);
    html! {
        <div class="mark-labels column-labels" aria-hidden="true">
            <span class="meaning">{ columns.meaning.name() }</span>
            { for (0..columns.len()).step_by(every).map(|column| html! {
                <span key={column} class="number" style={format!("left:{}%", percent((count_to_f64(column) + 0.5) * width))}>
                    { column.saturating_add(columns.meaning.first()) }
                </span>
            }) }
        </div>
    }
}

/// The lines, by the priority of their labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MarkLine {
    Limit,
    Minimum,
    Desired,
    Quota,
}

impl MarkLine {
    const fn class(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::Minimum => "minimum",
            Self::Desired => "desired",
            Self::Quota => "quota",
        }
    }

    const fn weight(self) -> Weight {
        match self {
            Self::Limit | Self::Quota => Weight::Bold,
            Self::Minimum | Self::Desired => Weight::Normal,
        }
    }
}

/// A line with its names. Several lines in one column share a label.
#[derive(Clone, Debug)]
struct NamedLine {
    line: MarkLine,
    names: Vec<&'static str>,
    pods: i32,
}

impl NamedLine {
    /// `minimum, asked and quota 6`.
    fn text(&self) -> String {
        let pods = group_digits(self.pods);
        match self.names.as_slice() {
            [others @ .., last] if !others.is_empty() => format!("{} and {last} {pods}", others.join(", ")),
            names => format!("{} {pods}", names.concat()),
        }
    }

    fn length(&self, geometry: &Geometry) -> f64 {
        geometry.text_length(&self.text(), self.line.weight())
    }
}

/// The lines that have labels, with their names.
fn named_lines(all: &[(MarkLine, &'static str, i32)], room: f64, geometry: &Geometry) -> Vec<NamedLine> {
    let mut lines: Vec<NamedLine> = Vec::new();
    for &(line, name, pods) in all {
        let with_name =
            |other: &NamedLine| NamedLine { names: [other.names.as_slice(), &[name]].concat(), ..other.clone() };
        let shares = |other: &&mut NamedLine| other.pods == pods && with_name(other).length(geometry) <= room;
        match lines.iter_mut().find(shares) {
            Some(other) => *other = with_name(other),
            None if line == MarkLine::Desired => lines.insert(0, NamedLine { line, names: vec![name], pods }),
            None => lines.push(NamedLine { line, names: vec![name], pods }),
        }
    }
    lines.sort_by_key(|line| line.line);
    lines
}

/// The label of one or more lines that share a column.
#[derive(Clone, Debug, PartialEq)]
struct MarkText {
    line: MarkLine,
    text: String,
    /// The edge that stands at the line if there is room, in pixels. It is the right one of the minimum.
    edge: f64,
    /// Its length, with some room.
    length: f64,
    /// How many rows of labels are below it.
    row: u8,
}

impl MarkText {
    /// Wherever the line is in a picture of another width, the label does not hang over the edge.
    fn view(&self, place: TextBox, geometry: &Geometry) -> Html {
        let percent = |x: f64| px(100.0 * x / geometry.width);
        let length = px(self.length / geometry.text_scale);
        let (side, distance) = match self.line {
            MarkLine::Minimum => ("right", geometry.width - self.edge),
            MarkLine::Desired => ("left", place.left),
            MarkLine::Limit | MarkLine::Quota => ("left", self.edge),
        };
        let row = self.row;
        let class = self.line.class();
        let style = format!("--row:{row};{side}:min({}%, calc(100% - {length}rem/16))", percent(distance));
        html! { <span key={class} {class} {style}>{ &self.text }</span> }
    }
}

/// How many rows labels need.
fn rows(labels: &[Placed<MarkText>]) -> u8 {
    labels.iter().map(|label| label.shown.row).max().unwrap_or(0).saturating_add(1)
}

/// The labels of the lines, from left to right. A line shares the label of another one in its column if the picture has room for both
/// names: so lanes with the same marks name them alike. `handle`: how much of the labels' room the handle of a line takes on each side.
fn place(marks: Marks, quota: Option<i32>, handle: f64, geometry: &Geometry) -> Vec<Placed<MarkText>> {
    let quota = quota.filter(|pods| geometry.quota_line(*pods).is_some()).map(|pods| (MarkLine::Quota, "quota", pods));
    let lines = |asked: Option<(MarkLine, &'static str, i32)>| {
        let always = [(MarkLine::Minimum, "minimum", marks.min_available), (MarkLine::Limit, "limit", marks.limit)];
        let all: Vec<_> = always.into_iter().chain(asked).chain(quota).collect();
        named_lines(&all, geometry.width - handle, geometry)
    };
    let labels = |lines: &[NamedLine], joined: Option<&str>| -> Vec<Label<MarkText>> {
        lines.iter().map(|line| line_label(line, joined, handle, geometry)).collect()
    };
    let all = lines(Some((MarkLine::Desired, "asked", marks.desired)));
    let mut choices = vec![labels(&all, None)];
    if let Some(asked) = all.iter().find(|line| line.line == MarkLine::Desired) {
        // Without room for a label, that of the limit names the desired pods, too, or nothing does.
        let others = lines(None);
        let asked = NamedLine { names: vec!["asked"], ..asked.clone() };
        choices.extend([labels(&others, Some(&asked.text())), labels(&others, None)]);
    }
    let (_, placed) = LabelPlacer::default().place_first(&choices);
    let mut placed: Vec<Placed<MarkText>> = placed.into_iter().flatten().collect();
    placed.sort_by(|label, other| label.place.left.total_cmp(&other.place.left));
    placed
}

/// Where the label of a line can stand. `joined`: what that of the limit says, too.
fn line_label(named: &NamedLine, joined: Option<&str>, handle: f64, geometry: &Geometry) -> Label<MarkText> {
    let (line, width, edge) = (named.line, geometry.width, geometry.x(named.pods));
    let joined = joined.filter(|_| line == MarkLine::Limit);
    let text = joined.map_or_else(|| named.text(), |joined| format!("{}, {joined}", named.text()));
    // The handles of these two stand at their lines.
    let room = if matches!(line, MarkLine::Minimum | MarkLine::Limit) { handle } else { 0.0 };
    let length = geometry.text_length(&text, line.weight()) + room;
    let left = if line == MarkLine::Minimum { (edge - length).max(0.0) } else { edge.min(width - length) };
    let [before, after] = match line {
        MarkLine::Minimum => [0.0, room],
        _ => [room, 0.0],
    };
    let candidate = |row: u8| {
        let at = TextBox::line(left, -ROW * f64::from(row), length, ROW / 2.0);
        let place = TextBox { left: at.left - before, right: at.right + after, ..at };
        Candidate::new(MarkText { line, text: text.clone(), edge, length, row }, place).ranked(row)
    };
    let candidates = match line {
        MarkLine::Limit => vec![candidate(0)],
        MarkLine::Minimum => vec![candidate(0), candidate(1)],
        MarkLine::Quota => vec![candidate(0), candidate(1), candidate(2)],
        MarkLine::Desired => {
            // Beside others, it touches its line. If the picture is as low as on a phone with a story, there is no second row.
            let beside = Slide::Across((edge - length).max(0.0), (edge + length).min(width));
            let above = geometry.has_end_labels().then(|| candidate(1));
            [candidate(0).sliding(beside)].into_iter().chain(above).collect()
        }
    };
    let has_room = joined.is_none() || left >= 0.0;
    Label::new(if has_room { candidates } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The labels with their edges, in a picture of 27 pods.
    fn labels(marks: [i32; 3], quota: Option<i32>, width: f64, text_scale: f64) -> Vec<Placed<MarkText>> {
        let [min_available, desired, limit] = marks;
        place(Marks { desired, limit, min_available }, quota, 0.0, &geometry(width, text_scale))
    }

    fn geometry(width: f64, text_scale: f64) -> Geometry {
        Geometry { text_scale, ..Geometry::of_size([width, 200.0], 27.0) }
    }

    fn texts(labels: &[Placed<MarkText>]) -> Vec<&str> {
        labels.iter().map(|label| label.shown.text.as_str()).collect()
    }

    #[test]
    fn every_line_is_named_where_there_is_room() {
        for width in [264.0, 405.0, 700.0] {
            let shown = labels([12, 15, 19], None, width, 1.0);
            assert_eq!(texts(&shown), ["minimum 12", "asked 15", "limit 19"], "{width}");
            assert_eq!(rows(&shown), 1);
            assert!(shown.is_sorted_by(|label, next| label.place.right <= next.place.left + 0.01), "{shown:?}");
            assert!(shown.iter().all(|label| label.place.left >= 0.0 && label.place.right <= width), "{shown:?}");
        }
        assert_eq!(texts(&labels([12, 15, 19], None, 168.0, 2.0)), ["minimum 12", "limit 19"]);
        assert_eq!(rows(&labels([12, 15, 19], None, 168.0, 2.0)), 2);
        let with_quota = labels([10, 15, 15], Some(22), 700.0, 1.0);
        assert_eq!(texts(&with_quota), ["minimum 10", "limit and asked 15", "quota 22"]);
        assert_eq!(rows(&with_quota), 1);
    }

    #[test]
    fn the_desired_pods_have_a_name_between_close_lines() {
        let shown = labels([12, 13, 14], None, 405.0, 1.0);
        assert_eq!(texts(&shown), ["minimum 12", "asked 13", "limit 14"]);
        let asked = &shown[1];
        assert_eq!((asked.shown.row, asked.place.left.round()), (1, 195.0), "{shown:?}");
    }

    #[test]
    fn the_desired_pods_have_a_name_between_close_lines_of_a_low_picture() {
        let marks = Marks { desired: 6, limit: 7, min_available: 5 };
        for width in [224.0, 264.0] {
            let low = Geometry { height: 60.0, columns: 14.0, ..geometry(width, 1.0) };
            let shown = place(marks, None, 0.0, &low);
            assert_eq!(texts(&shown), ["minimum 5", "limit 7, asked 6"], "{width}");
            assert_eq!(rows(&shown), 1, "{width}");
            assert!(!shown[0].place.touches(&shown[1].place), "{shown:?}");
        }
    }

    #[test]
    fn lanes_name_the_same_marks_alike() {
        // Only one of them has handles.
        for marks in [[15, 15, 17], [12, 15, 15], [1, 1, 2], [0, 15, 15]] {
            let [min_available, desired, limit] = marks;
            let marks = Marks { desired, limit, min_available };
            for width in [264.0, 405.0, 700.0] {
                let [without, with] = [0.0, HALF_HANDLE].map(|handle| {
                    let shown = place(marks, None, handle, &geometry(width, 1.0));
                    texts(&shown).into_iter().map(String::from).collect::<Vec<_>>()
                });
                assert_eq!(without, with, "{width}");
                assert!(with.iter().any(|text| text.contains("and asked")), "{with:?}");
            }
        }
    }

    #[test]
    fn lines_that_share_a_column_share_a_label() {
        for (marks, quota, width, expected) in [
            ([15, 15, 17], Some(15), 400.0, vec!["minimum, asked and quota 15", "limit 17"]),
            ([15, 15, 17], None, 400.0, vec!["minimum and asked 15", "limit 17"]),
            ([12, 15, 15], None, 264.0, vec!["minimum 12", "limit and asked 15"]),
            ([12, 15, 15], None, 700.0, vec!["minimum 12", "limit and asked 15"]),
            ([12, 15, 19], Some(15), 700.0, vec!["minimum 12", "asked and quota 15", "limit 19"]),
            ([12, 15, 19], Some(12), 400.0, vec!["minimum and quota 12", "asked 15", "limit 19"]),
            ([12, 15, 19], Some(19), 700.0, vec!["minimum 12", "asked 15", "limit and quota 19"]),
        ] {
            assert_eq!(texts(&labels(marks, quota, width, 1.0)), expected, "{marks:?}, {quota:?}");
        }
    }

    #[test]
    fn a_quota_always_has_its_name_and_no_label_touches_another_one() {
        for width in [150.0, 264.0, 405.0, 700.0] {
            for text_scale in [1.0, 2.0] {
                for marks in [[12, 15, 19], [10, 15, 15], [15, 15, 17], [0, 0, 0], [0, 1, 1], [0, 26, 26]] {
                    for quota in 0..27 {
                        let shown = labels(marks, Some(quota), width, text_scale);
                        let context = format!("{marks:?}, {quota} in {width} at {text_scale}: {shown:?}");
                        let quota_text = format!("quota {quota}");
                        assert!(texts(&shown).iter().any(|text| text.ends_with(&quota_text)), "{context}");
                        for (index, label) in shown.iter().enumerate() {
                            let mut later = shown.iter().skip(index.saturating_add(1));
                            assert!(later.all(|other| !label.place.touches(&other.place)), "{context}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_label_of_the_limit_leaves_room_for_its_handle() {
        let geometry = geometry(460.0, 1.0);
        let marks = Marks { desired: 20, limit: 26, min_available: 15 };
        let [without, with] = [0.0, HALF_HANDLE].map(|handle| {
            let shown = place(marks, None, handle, &geometry);
            shown.last().map(|label| label.shown.length).unwrap_or_default()
        });
        assert!((with - without - HALF_HANDLE).abs() < 0.01, "{with} {without}");
    }
}
