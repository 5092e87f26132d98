//! The row of pods at the playhead.

use std::iter;
use std::rc::Rc;

use yew::{Html, Properties, classes, component, html};

use super::areas::{GroupSpan, group_spans};
use super::classes::{band_class, fill, hue_class};
use super::geometry::Geometry;
use super::group::Group;
use super::label_places::TextBox;
use super::pod_tile::{Tile, TileMarks, TileState, tile_title};
use crate::number::{group_digits, px};
use crate::playback::{Band, Moment, Playback};

/// How far letters reach above and below the line that they stand on, in pixels.
const ASCENT: f64 = 10.0;
const DESCENT: f64 = 3.0;

/// From the tiles to a text above or below them that a line leads to, in pixels.
const LEADER_HEIGHTS: [f64; 2] = [-5.0, 7.0];

/// Letters that are narrower than this share of their width are hard to read.
const NARROWEST: f64 = 0.65;

/// The properties of [`PodRow`].
#[derive(PartialEq, Properties)]
pub struct PodRowProps {
    /// All lanes.
    pub playback: Rc<Playback>,
    /// The lane.
    pub lane: usize,
    /// The scales.
    pub geometry: Rc<Geometry>,
    /// The moment.
    pub moment: Moment,
    /// The upper edge, in pixels.
    pub top: f64,
    /// The ReplicaSet that is lit up.
    pub highlighted_replica_set: Option<usize>,
    /// The handles in the picture, with their labels.
    pub handles: Vec<TextBox>,
}

/// Half of the width of the outlines in the areas, in pixels.
const OUTLINE: f64 = 1.25;

/// The pods of a moment: one tile for each, or one bar for each group if there are too many.
#[component]
pub fn PodRow(props: &PodRowProps) -> Html {
    let PodRowProps { playback, lane, geometry, moment, top, highlighted_replica_set, handles } = props;
    let Some(lane) = playback.lanes.get(*lane) else { return Html::default() };
    let Some(snapshot) = lane.track.snapshot_at(*moment) else { return Html::default() };
    let spans = group_spans(snapshot.counts);
    let names = playback.version_names();
    let limit = geometry.x(snapshot.marks.limit);
    let tile_height = (geometry.row_height * 0.3).round();
    let tile_top = (geometry.row_height * 0.33).round();
    let tiles = match &lane.columns {
        Some(columns) if geometry.has_tiles() => {
            let pods = lane.track.pods_at(*moment);
            let standing = pods.filter(|(_, pod)| pod.state.map(Band::of) != Some(Band::Ended));
            standing
                .map(|(number, pod)| {
                    let column = columns.column_at(number, *moment);
                    let dimmed = highlighted_replica_set.is_some_and(|set| set != pod.replica_set);
                    let state = TileState::new(pod, moment.time);
                    let title = tile_title(playback, lane.played.pods.get(number), pod);
                    let x = geometry.column_width() * crate::number::count_to_f64(column);
                    let node = pod.node.and_then(|node| lane.node_marks.get(node));
                    let marks = TileMarks::new(state, node, geometry);
                    html! {
                        <Tile key={number} {x} y={tile_top} width={geometry.column_width()} height={tile_height}
                            {state} {dimmed} {title} {marks} />
                    }
                })
                .collect::<Html>()
        }
        _ => density(&spans, geometry, tile_top, tile_height),
    };
    let marks = geometry.marks(snapshot.marks);
    let [minimum, desired, _] = marks;
    let tile_bottom = tile_top + tile_height;
    let heights = [tile_top - 9.0 * geometry.text_scale, tile_bottom + 18.0 * geometry.text_scale];
    // The handles in front of the texts above the tiles.
    let [above, _] = heights;
    let [text_top, text_bottom] = [-ASCENT, DESCENT].map(|from| top + above + from * geometry.text_scale);
    let is_in_front = |handle: &&TextBox| handle.top < text_bottom && handle.bottom > text_top;
    let in_front: Vec<TextBox> = handles.iter().filter(is_in_front).copied().collect();
    let runs = GroupRun::all(&spans);
    let labels = RowLabels::new(&runs, names, snapshot.over(), marks, &in_front, geometry);
    let leader = |label: &RowLabel| {
        let (from, to) = label.leader?;
        let [up, down] = LEADER_HEIGHTS;
        let (y, height) = if label.is_below { (tile_bottom, down) } else { (tile_top, up) };
        let end = y + height * geometry.text_scale;
        Some(html! { <path class="span leader" d={format!("M{} {}L{} {}", px(from), px(y), px(to), px(end))} /> })
    };
    let row_height = geometry.row_height;
    html! {
        <g class="pod-row" transform={format!("translate(0 {})", px(*top))}>
            // It covers the edges of the outlines that begin or end at this moment.
            <rect class="ground" y={px(-OUTLINE)} width={px(geometry.width)} height={px(row_height + 2.0 * OUTLINE)} />
            <rect class="zone" x={px(limit)} width={px(geometry.width - limit)} height={px(row_height)} />
            // Each in an element of its own: Yew pairs children from the last one, so that a tile would not keep its element
            // when the number of groups changes.
            <g class="tiles">{ tiles }</g>
            <path class="mark minimum" d={format!("M{} 0V{}", px(minimum), px(row_height))} />
            <path class="mark desired" d={format!("M{} 0V{}", px(desired), px(row_height))} />
            <path class="mark limit" d={format!("M{} 0V{}", px(limit), px(row_height))} />
            if let Some(quota) = lane.track.pod_quota.and_then(|pods| geometry.quota_line(pods)) {
                <path class="mark quota" d={format!("M{} 0V{}", px(quota), px(row_height))} />
            }
            <path class="edge" d={format!("M0 0H{0}M0 {1}H{0}", px(geometry.width), px(row_height))} />
            // The texts interrupt the lines.
            <g class="counts">
                { for runs.iter().zip(labels.runs).map(|(run, label)| {
                    let class = classes!("count", band_class(run.group.band), hue_class(run.group.replica_set));
                    html! {
                        <g key={format!("{}-{}", band_class(run.group.band), run.group.replica_set)} {class}>
                            // In a fragment of their own: keys count only where all children have one.
                            <>{ for run.spans.iter().map(|span| {
                                let (left, right) = (geometry.x(span.from), geometry.x(span.to));
                                html! {
                                    <path key={span.group.replica_set} class={classes!("span", hue_class(span.group.replica_set))}
                                        d={format!("M{} {2}H{}", px(left + 1.0), px(right - 1.0), px(tile_top - 4.0))} />
                                }
                            }) }</>
                            { label.as_ref().and_then(leader).unwrap_or_default() }
                            { label.map(|label| label.view(None, heights, geometry)).unwrap_or_default() }
                        </g>
                    }
                }) }
            </g>
            { view_over(&snapshot, geometry, tile_top, tile_height) }
            { view_counted(snapshot.pods().saturating_sub(snapshot.terminating()), geometry) }
            { labels.over.view(Some(if snapshot.over() > 0 { "over-limit" } else { "over-limit none" }), heights, geometry) }
        </g>
    }
}

/// Neighboring groups that share a text: pods in one state, unless their versions have names of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GroupRun<'a> {
    spans: &'a [GroupSpan],
    /// The first group.
    group: Group,
    /// Its first column.
    from: i32,
    /// Behind its last column.
    to: i32,
}

impl<'a> GroupRun<'a> {
    /// The runs of groups, from left to right.
    fn all(spans: &'a [GroupSpan]) -> Vec<Self> {
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

    /// Half of the room that a text about them takes: a text that is a little too long for the room left of the limit has narrower
    /// letters.
    fn half_length(&self, text: &str, limit: f64, geometry: &Geometry) -> f64 {
        let length = geometry.text_length(text);
        let is_within_limit = geometry.x(self.to) <= limit + 0.1;
        let is_squeezed = is_within_limit && limit >= NARROWEST * length;
        if is_squeezed { length.min(limit) / 2.0 } else { length / 2.0 }
    }

    /// How far right a text about them may reach: in the zone above the limit, it would seem to be about pods that are too many. Only
    /// where there is no room for it left of the limit, it may reach further.
    fn text_end(&self, half: f64, limit: f64, geometry: &Geometry) -> f64 {
        let is_within_limit = geometry.x(self.to) <= limit + 0.1;
        if is_within_limit && 2.0 * half <= limit { limit } else { geometry.width }
    }
}

/// Which of the versions' names a group has.
fn name_index(group: Group) -> usize {
    group.replica_set.min(2)
}

/// A text in the row of pods.
#[derive(Clone, Debug, PartialEq)]
struct RowLabel {
    text: String,
    /// Its middle.
    x: f64,
    /// Half of its length, with some room. Its letters are squeezed if they are longer.
    half: f64,
    /// Whether it stands below the tiles; else it stands above them.
    is_below: bool,
    /// Where a line from its tiles to it begins and ends, if their group is too thin to be seen.
    leader: Option<(f64, f64)>,
}

impl RowLabel {
    /// The text, at one of the heights above and below the tiles.
    fn view(self, class: Option<&'static str>, [above, below]: [f64; 2], geometry: &Geometry) -> Html {
        /// The room beside letters that are squeezed, in pixels.
        const ROOM: f64 = 4.0;
        let y = px(if self.is_below { below } else { above });
        let room = 2.0 * self.half;
        let squeezed = (room < geometry.text_length(&self.text)).then(|| px(room - ROOM));
        let adjust = squeezed.as_ref().map(|_| "spacingAndGlyphs");
        html! {
            <text {class} x={px(self.x)} {y} text-anchor="middle" textLength={squeezed} lengthAdjust={adjust}>{ self.text }</text>
        }
    }

    fn touches(&self, other: &Self) -> bool {
        self.is_below == other.is_below && (self.x - other.x).abs() < self.half + other.half
    }

    /// Whether no line crosses it.
    fn is_clear_of(&self, marks: [f64; 3]) -> bool {
        marks.iter().all(|mark| (mark - self.x).abs() >= self.half - 0.1)
    }
}

/// The texts in the row of pods.
#[derive(Debug, PartialEq)]
struct RowLabels {
    /// How many pods each run of groups has, if there is room. That of terminating pods may say it of those before them, too.
    runs: Vec<Option<RowLabel>>,
    /// How many pods are over the limit.
    over: RowLabel,
}

impl RowLabels {
    /// A text for each run or, if one would have none, one for the starting and the terminating pods together.
    fn new(
        runs: &[GroupRun<'_>],
        names: [&'static str; 3],
        over: i32,
        marks: [f64; 3],
        handles: &[TextBox],
        geometry: &Geometry,
    ) -> Self {
        let [.., limit] = marks;
        let over = over_label(over, limit, geometry);
        let single = Self::single(runs, names, over.clone(), marks, handles, geometry);
        if single.runs.iter().all(Option::is_some) {
            return single;
        }
        let joined = |is_below: bool| {
            let over = RowLabel { is_below, ..over.clone() };
            Self::joined(runs, names, over, marks, handles, geometry)
        };
        [true, false].into_iter().find_map(joined).unwrap_or(single)
    }

    /// The count of a run stands above its tiles. That of terminating pods has a name even where their tiles have no room: it may
    /// take the free room behind them, as far as the limit, or stand below them, but reaches no further than the tiles beside them.
    /// Where that is too narrow, a line leads from the tiles to the text. `handles`: what stands in front of the texts above the tiles.
    fn single(
        runs: &[GroupRun<'_>],
        names: [&'static str; 3],
        mut over: RowLabel,
        marks: [f64; 3],
        handles: &[TextBox],
        geometry: &Geometry,
    ) -> Self {
        let [.., limit] = marks;
        let mut labels: Vec<Option<RowLabel>> =
            runs.iter().map(|run| count_label(run, names, marks, handles, geometry)).collect();
        let last = runs.split_last().filter(|(run, _)| run.group.band == Band::Terminating);
        if let (Some((run, before)), Some((label, labels_before))) = (last, labels.split_last_mut()) {
            let [_, text, count] = run.texts(names);
            let half = run.half_length(&text, limit, geometry);
            let (left, right) = (geometry.x(run.from), geometry.x(run.to));
            let neighbor = before.last().map_or(0.0, |before| geometry.x(before.from));
            let last_x = run.text_end(half, limit, geometry) - half;
            let place = |x: f64, is_below: bool| RowLabel { text: text.clone(), x, half, is_below, leader: None };
            let touches_label = |other: &RowLabel| labels_before.iter().flatten().any(|label| label.touches(other));
            // It may begin a little further left, so that it ends at the limit, or no handle covers it. It may be as close to others as
            // their room allows.
            let first = left + half;
            let before_limit = (last_x < limit).then_some(last_x);
            let before_handles = handles.iter().map(|handle| handle.left - half);
            let is_free = |x: &f64| {
                let is_inside = *x >= neighbor + half && *x <= first.min(last_x);
                let close = RowLabel { half: half - 0.1, ..place(*x, false) };
                is_inside && is_uncovered(*x, half, handles) && !touches_label(&close)
            };
            let above = iter::once(first).chain(before_limit).chain(before_handles).find(is_free);
            let is_named = |label: &RowLabel| label.text != count;
            let is_seen = |label: &RowLabel| is_named(label) && is_uncovered(label.x, label.half, handles);
            let over_above = RowLabel { is_below: false, ..over.clone() };
            let may_over_move = is_uncovered(over_above.x, over_above.half, handles) && !touches_label(&over_above);
            if label.as_ref().is_some_and(is_seen) {
                // It stands above its tiles already.
            } else if let Some(x) = above {
                *label = Some(place(x, false));
            } else if neighbor + half <= last_x {
                let middle = f64::midpoint(left, right);
                let below = place(middle.min(last_x).max(neighbor + half), true);
                let is_over_in_the_way = below.touches(&over);
                let before_over = over.x - over.half - half;
                if !is_over_in_the_way || may_over_move {
                    *label = Some(below);
                    over.is_below = !is_over_in_the_way;
                } else if before_over >= neighbor + half && before_over + half >= middle {
                    *label = Some(place(before_over, true));
                } else if first <= last_x && geometry.has_tiles() {
                    *label = Some(place(first, false));
                }
            }
            if !label.as_ref().is_some_and(is_named) {
                let leader = |over: &RowLabel| {
                    let taken: Vec<&RowLabel> = labels_before.iter().flatten().chain([over]).collect();
                    leader_label(run, &text, &[false, true], marks, &taken, handles, geometry)
                };
                if let Some(named) = leader(&over) {
                    *label = Some(named);
                } else if let Some(named) = leader(&over_above).filter(|_| may_over_move) {
                    *label = Some(named);
                    over.is_below = false;
                }
            }
        }
        // First those without any text, then those whose own tiles have room for the number only.
        for has_count in [false, true] {
            for (index, run) in runs.iter().enumerate() {
                let [_, text, count] = run.texts(names);
                let Some(current) = labels.get(index) else { continue };
                if current.is_some() != has_count || current.as_ref().is_some_and(|label| label.text != count) {
                    continue;
                }
                let others = labels.iter().enumerate().filter(|(other, _)| *other != index);
                let taken: Vec<&RowLabel> = others.filter_map(|(_, label)| label.as_ref()).chain([&over]).collect();
                let leader = |text: &str| leader_label(run, text, &[true, false], marks, &taken, handles, geometry);
                let found = leader(&text).or_else(|| leader(&count).filter(|_| !has_count));
                if let (Some(label), Some(found)) = (labels.get_mut(index), found) {
                    *label = Some(found);
                }
            }
        }
        Self { runs: labels, over }
    }

    /// The starting and the terminating pods share a text below their tiles, and the runs before them have theirs above the tiles. None
    /// if there is no room. `over`: where that text stands.
    fn joined(
        runs: &[GroupRun<'_>],
        names: [&'static str; 3],
        over: RowLabel,
        marks: [f64; 3],
        handles: &[TextBox],
        geometry: &Geometry,
    ) -> Option<Self> {
        let [before @ .., starting, terminating] = runs else { return None };
        let are_in_transit = matches!(
            (starting.group.band, terminating.group.band),
            (Band::Starting | Band::Pending, Band::Terminating)
        );
        if !are_in_transit || !(over.is_below || is_uncovered(over.x, over.half, handles)) {
            return None;
        }
        let over_box = (!over.is_below).then(|| TextBox::around(over.x, 0.0, over.half, 0.0));
        let in_front: Vec<TextBox> = handles.iter().copied().chain(over_box).collect();
        let [[_, first, _], [_, second, _]] = [starting, terminating].map(|run| run.texts(names));
        let both = GroupRun { from: starting.from, ..*terminating };
        let text = format!("{first}, {second}");
        let joined = leader_label(&both, &text, &[true], marks, &[&over], handles, geometry)?;
        let mut labels: Vec<Option<RowLabel>> = Vec::new();
        for run in before {
            let label = count_label(run, names, marks, &in_front, geometry);
            labels.push(label.filter(|label| is_uncovered(label.x, label.half, &in_front)));
        }
        for (index, run) in before.iter().enumerate() {
            if labels.get(index).is_some_and(Option::is_some) {
                continue;
            }
            let [.., count] = run.texts(names);
            let taken: Vec<&RowLabel> = labels.iter().flatten().chain([&over]).collect();
            let found = leader_label(run, &count, &[false], marks, &taken, handles, geometry)?;
            if let Some(label) = labels.get_mut(index) {
                *label = Some(found);
            }
        }
        labels.extend([None, Some(joined)]);
        Some(Self { runs: labels, over })
    }
}

/// How many pods a run has, above the middle of its tiles, if it fits there; beside a line that would cross it, or a handle that
/// would cover it, if there is room.
fn count_label(
    run: &GroupRun<'_>,
    names: [&'static str; 3],
    marks: [f64; 3],
    handles: &[TextBox],
    geometry: &Geometry,
) -> Option<RowLabel> {
    let (left, right) = (geometry.x(run.from), geometry.x(run.to));
    let text = run.texts(names).into_iter().find(|text| geometry.text_length(text) <= right - left)?;
    let half = geometry.text_length(&text) / 2.0;
    let middle = f64::midpoint(left, right);
    let label = |x: f64| RowLabel { text: text.clone(), x, half, is_below: false, leader: None };
    let beside = marks.into_iter().flat_map(|mark| [mark - half, mark + half]);
    let beside_handles = handles.iter().flat_map(|handle| [handle.left - half, handle.right + half]);
    let is_inside = |x: &f64| *x >= left + half && *x <= right - half;
    let is_clear = |x: &f64| label(*x).is_clear_of(marks) && is_uncovered(*x, half, handles);
    let places = iter::once(middle).chain(beside).chain(beside_handles).filter(is_inside).filter(is_clear);
    let x = places.min_by(|x, other| (x - middle).abs().total_cmp(&(other - middle).abs())).unwrap_or(middle);
    Some(label(x))
}

/// Whether no handle covers a text around a place.
fn is_uncovered(x: f64, half: f64, handles: &[TextBox]) -> bool {
    handles.iter().all(|handle| x + half <= handle.left + 0.1 || x - half >= handle.right - 0.1)
}

/// A text about a run whose tiles have no room for it, with a line to it: beside the lines, the texts and the handles that are in the
/// way, as near as there is room. None if that is so far away that it would seem to belong to something else. `rows`: whether to try
/// below the tiles, the first choice first.
fn leader_label(
    run: &GroupRun<'_>,
    text: &str,
    rows: &[bool],
    marks: [f64; 3],
    taken: &[&RowLabel],
    handles: &[TextBox],
    geometry: &Geometry,
) -> Option<RowLabel> {
    /// How far beside its tiles a text may begin, in pixels.
    const MAX_SHIFT: f64 = 14.0;
    /// The letters take at least this share of a text's room: the line ends inside it.
    const LETTERS: f64 = 0.75;
    /// Letters may be wider than estimated: texts this much further apart, as a share of their lengths, don't run together.
    const APART: f64 = 1.05;
    let [.., limit] = marks;
    let half = run.half_length(text, limit, geometry);
    let letters = LETTERS * half;
    let middle = f64::midpoint(geometry.x(run.from), geometry.x(run.to));
    let label = |x: f64, is_below: bool| {
        let end = middle.max(x - letters).min(x + letters);
        RowLabel { text: String::from(text), x, half, is_below, leader: Some((middle, end)) }
    };
    let distance = |x: f64| (x - middle).abs();
    let (first_x, last_x) = (half, run.text_end(half, limit, geometry) - half);
    let is_free = |x: f64, is_below: bool| {
        let is_inside = x >= first_x && x <= last_x && distance(x) <= letters + MAX_SHIFT;
        let is_seen = is_below || is_uncovered(x, half, handles);
        is_inside && is_seen && !taken.iter().any(|other| label(x, is_below).touches(other))
    };
    let beside_marks = marks.into_iter().flat_map(|mark| [mark - half, mark + half]);
    let beside_texts = taken.iter().flat_map(|other| {
        let close = other.half + half + 0.1;
        [close, APART * close].into_iter().flat_map(move |apart| [other.x - apart, other.x + apart])
    });
    let beside_handles = handles.iter().flat_map(|handle| [handle.left - half, handle.right + half]);
    let edges = [middle, first_x, last_x].into_iter();
    let places: Vec<f64> = edges.chain(beside_marks).chain(beside_texts).chain(beside_handles).collect();
    let is_clear = |x: f64| label(x, true).is_clear_of(marks);
    rows.iter().find_map(|is_below| {
        let is_close = |x: f64| {
            // The line of the limit keeps the texts on its two sides apart.
            let beside = |other: &RowLabel| other.is_below == *is_below && (x < limit) == (other.x < limit);
            taken.iter().any(|other| beside(other) && (x - other.x).abs() < APART * (other.half + half))
        };
        let flaws = |x: f64| (!is_clear(x), is_close(x));
        let better =
            |x: &f64, other: &f64| flaws(*x).cmp(&flaws(*other)).then(distance(*x).total_cmp(&distance(*other)));
        let free = places.iter().copied().filter(|x| is_free(*x, *is_below));
        Some(label(free.min_by(better)?, *is_below))
    })
}

/// How many pods are above the limit: right of the limit, unless the picture ends before the text.
fn over_label(over: i32, limit: f64, geometry: &Geometry) -> RowLabel {
    let short = format!("{} over", group_digits(over));
    let long = if over > 0 { format!("{short} the limit") } else { short.clone() };
    let text = if limit + geometry.text_length(&long) > geometry.width { short } else { long };
    let half = geometry.text_length(&text) / 2.0;
    let x = (limit + 2.0 + half).min(geometry.width - half).max(half);
    RowLabel { text, x, half, is_below: true, leader: None }
}

/// The frame around the pods that are over the limit.
fn view_over(snapshot: &crate::playback::Snapshot<'_>, geometry: &Geometry, tile_top: f64, tile_height: f64) -> Html {
    let (over, limit) = (snapshot.over(), geometry.x(snapshot.marks.limit));
    let width = geometry.x(snapshot.pods()) - limit;
    html! {
        if over > 0 {
            <rect class="over" x={px(limit)} y={px(tile_top - 2.0)} width={px(width)} height={px(tile_height + 4.0)} />
            <rect class="cap" x={px(limit)} y={px(tile_top + tile_height)} width={px(width)} height="4" />
        }
    }
}

/// A bracket below the row, around the pods that the controller counts: the caption that needs it shows it.
fn view_counted(counted: i32, geometry: &Geometry) -> Html {
    /// Where the bracket begins and ends below the row, and where the letters stand, in pixels.
    const HEIGHTS: [f64; 3] = [3.0, 9.0, 24.0];
    let [top, bottom, letters] = HEIGHTS.map(|height| px(geometry.row_height + height * geometry.text_scale));
    let right = geometry.x(counted);
    html! {
        <g class="counted">
            <path class="edge" d={format!("M1 {top}V{bottom}H{}V{top}", px(right - 1.0))} />
            <text x={px(right / 2.0)} y={letters} text-anchor="middle">{ format!("counted: {}", group_digits(counted)) }</text>
        </g>
    }
}

/// One bar for each group.
fn density(spans: &[GroupSpan], geometry: &Geometry, top: f64, height: f64) -> Html {
    let bars = spans.iter().map(|span| {
        let (left, right) = (geometry.x(span.from), geometry.x(span.to));
        let class = classes!("area", band_class(span.group.band), hue_class(span.group.replica_set));
        html! { <rect {class} fill={fill(span.group)} x={px(left)} y={px(top)} width={px(right - left)} height={px(height)} /> }
    });
    bars.collect()
}

#[cfg(test)]
mod tests {
    use changeover_core::timeline::Marks;

    use super::*;
    use crate::picture::TextRuler;
    use crate::playback::TimeScale;

    fn geometry(width: f64, columns: f64, text_scale: f64) -> Geometry {
        Geometry {
            width,
            height: 200.0,
            row_height: 74.0,
            columns,
            has_fixed_columns: false,
            text_scale,
            ruler: TextRuler::monospace(text_scale),
            time_scale: TimeScale::default(),
        }
    }

    /// Groups with these numbers of pods, from left to right: old, new, starting, terminating.
    fn spans(counts: [i32; 4]) -> Vec<GroupSpan> {
        let groups = [(Band::Available, 0), (Band::Available, 1), (Band::Starting, 1), (Band::Terminating, 0)];
        spans_of(groups.into_iter().zip(counts).map(|((band, replica_set), count)| (band, replica_set, count)))
    }

    /// Groups from left to right: their band, their ReplicaSet and how many pods they have.
    fn spans_of(groups: impl IntoIterator<Item = (Band, usize, i32)>) -> Vec<GroupSpan> {
        let mut from = 0;
        let spans = groups.into_iter().map(|(band, replica_set, count)| {
            let span = GroupSpan { group: Group { band, replica_set }, from, to: from.saturating_add(count) };
            from = span.to;
            span
        });
        spans.filter(|span| span.from < span.to).collect()
    }

    fn labels(counts: [i32; 4], marks: [i32; 3], geometry: &Geometry) -> RowLabels {
        labels_of(&spans(counts), marks, geometry)
    }

    fn labels_of(spans: &[GroupSpan], [minimum, desired, limit]: [i32; 3], geometry: &Geometry) -> RowLabels {
        let marks = Marks { desired, limit, min_available: minimum };
        let pods = spans.last().map_or(0, |span| span.to);
        let over = pods.saturating_sub(limit).max(0);
        RowLabels::new(&GroupRun::all(spans), ["old", "new", "newest"], over, geometry.marks(marks), &[], geometry)
    }

    fn texts(labels: &RowLabels) -> Vec<&str> {
        labels.runs.iter().flatten().map(|label| label.text.as_str()).collect()
    }

    /// The pods that a text is about: of "10 starting, 5 terminating", both numbers, and of "7 starting: 4, 3", the first one.
    fn pods_of(text: &str) -> i32 {
        let parts = text.split(", ").enumerate().filter(|(index, part)| *index == 0 || part.contains(' '));
        parts.filter_map(|(_, part)| part.split([' ', ':']).next()?.parse::<i32>().ok()).sum()
    }

    #[test]
    fn groups_in_one_state_share_a_text() {
        let groups = [
            (Band::Available, 0, 6),
            (Band::Available, 1, 5),
            (Band::Starting, 1, 4),
            (Band::Starting, 2, 3),
            (Band::Terminating, 0, 1),
            (Band::Terminating, 1, 1),
        ];
        let spans = spans_of(groups);
        let shown = |width: f64| labels_of(&spans, [12, 15, 20], &geometry(width, 24.0, 1.0));
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
        ] {
            let spans = spans_of(groups);
            for width in [224.0, 264.0, 288.0, 405.0, 560.0, 700.0] {
                let shown = labels_of(&spans, marks, &geometry(width, columns, 1.0));
                let pods = texts(&shown).into_iter().map(pods_of).sum::<i32>();
                assert_eq!(Some(pods), spans.last().map(|span| span.to), "{width}: {shown:?}");
                let terminating = spans.last().is_some_and(|span| span.group.band == Terminating);
                let is_named = texts(&shown).iter().any(|text| text.contains(" terminating"));
                assert_eq!(is_named, terminating, "{width}: {shown:?}");
            }
        }
    }

    #[test]
    fn no_text_about_pods_within_the_limit_reaches_beyond_it() {
        for (counts, marks, columns) in [
            ([8, 4, 3, 4], [12, 15, 19], 27.0),
            ([0, 14, 1, 2], [12, 15, 19], 27.0),
            ([12, 0, 7, 0], [12, 15, 19], 27.0),
            ([0, 14, 0, 1], [14, 15, 15], 18.0),
            // Recreate: the text is longer than all room left of the limit.
            ([0, 0, 0, 1], [0, 1, 1], 3.0),
            ([700, 50, 145, 105], [750, 1000, 1000], 1191.0),
            ([9_979, 0, 7, 21], [7_500, 10_000, 12_500], 14_882.0),
        ] {
            for width in [224.0, 264.0, 405.0, 560.0, 700.0] {
                let geometry = geometry(width, columns, 1.0);
                let shown = labels(counts, marks, &geometry);
                let [.., limit] = marks;
                let end = geometry.x(limit) + 0.11;
                assert!(shown.runs.iter().flatten().all(|label| label.x + label.half <= end), "{width}: {shown:?}");
                let is_named = shown.runs.last().cloned().flatten().is_some_and(|label| label.text.contains(' '));
                assert!(is_named || width < 300.0, "{width}: {shown:?}");
            }
        }
    }

    #[test]
    fn no_handle_covers_the_count_of_a_group() {
        // A little more than a pixel for 21 pods: the text stands above the free room behind them, as far as the limit.
        let geometry = geometry(700.0, 14_882.0, 1.0);
        let spans = spans([9_979, 0, 7, 21]);
        let marks = geometry.marks(Marks { desired: 10_000, limit: 12_500, min_available: 7_500 });
        let [minimum, _, limit] = marks;
        let handles = [minimum, limit].map(|x| TextBox::around(x, 2.0, 7.0, 10.0));
        let texts = |handles: &[TextBox]| {
            let names = ["old", "new", "newest"];
            let RowLabels { runs, .. } = RowLabels::new(&GroupRun::all(&spans), names, 0, marks, handles, &geometry);
            runs.into_iter().flatten().collect::<Vec<_>>()
        };
        let is_covered = |label: &RowLabel| !label.is_below && !is_uncovered(label.x, label.half, &handles);
        assert!(texts(&[]).iter().any(is_covered));
        let shown = texts(&handles);
        assert_eq!(shown.len(), 3, "{shown:?}");
        assert!(!shown.iter().any(is_covered), "{shown:?}");
        assert!(!shown[1].touches(&shown[2]), "{shown:?}");
    }

    #[test]
    fn no_handle_covers_how_many_pods_are_over_the_limit() {
        // At the top of a picture on a phone, where the handles are.
        let geometry = geometry(224.0, 10.0, 1.0);
        let spans = spans([5, 0, 0, 1]);
        let marks = geometry.marks(Marks { desired: 6, limit: 8, min_available: 5 });
        let [minimum, _, limit] = marks;
        let handles = [minimum, limit].map(|x| TextBox::around(x, 2.0, 7.0, 10.0));
        let names = ["old", "new", "newest"];
        let shown = RowLabels::new(&GroupRun::all(&spans), names, 0, marks, &handles, &geometry);
        assert_eq!(texts(&shown), ["5 old", "1 terminating"]);
        let RowLabels { runs, over } = shown;
        assert!(over.is_below, "{over:?}");
        // It touches neither the text beside it, ...
        let terminating = runs.last().cloned().flatten().unwrap();
        assert!(terminating.x + terminating.half <= over.x - over.half + 0.01, "{terminating:?} {over:?}");
        // ... nor does that leave its tiles.
        assert!(terminating.x + terminating.half >= geometry.x(6), "{terminating:?}");
    }

    #[test]
    fn how_many_pods_are_over_the_limit_is_said_inside_the_row() {
        let text = |over: i32, limit: f64, width: f64| {
            let label = over_label(over, limit, &geometry(width, 20.0, 1.0));
            assert!(label.x - label.half >= 0.0 && label.x + label.half <= width, "{label:?} of {width}");
            label.text
        };
        assert_eq!(text(3, 100.0, 400.0), "3 over the limit");
        assert_eq!(text(3, 300.0, 400.0), "3 over");
        assert_eq!(text(3, 380.0, 400.0), "3 over");
        assert_eq!(text(0, 300.0, 400.0), "0 over");
    }

    #[test]
    fn terminating_pods_are_named_at_their_own_tiles() {
        let marks = [12, 15, 19];
        let terminating = |counts: [i32; 4], width: f64| {
            let RowLabels { runs, over } = labels(counts, marks, &geometry(width, 27.0, 1.0));
            (runs.last().cloned().flatten().unwrap(), over)
        };
        // The tiles have the room.
        let (label, over) = terminating([5, 7, 7, 7], 600.0);
        assert_eq!((label.text.as_str(), label.x.round(), label.is_below), ("7 terminating", 500.0, false));
        assert!(over.is_below);
        // There is room behind them.
        let (label, over) = terminating([5, 7, 7, 7], 405.0);
        assert_eq!((label.text.as_str(), label.is_below, over.is_below), ("7 terminating", false, true));
        assert_eq!((label.x - label.half).round(), 285.0, "at the first of its tiles");
        // Within the limit, it ends there, and a line leads to it.
        let (label, over) = terminating([8, 4, 3, 4], 264.0);
        assert_eq!((label.text.as_str(), label.is_below, over.is_below), ("4 terminating", true, true));
        assert_eq!((label.x + label.half).round(), 186.0);
        assert!(label.leader.is_some());
        // On a phone, it stands below its tiles, and what is over the limit above them.
        let (label, over) = terminating([5, 7, 7, 7], 264.0);
        assert_eq!((label.text.as_str(), label.is_below), ("7 terminating", true));
        assert_eq!((over.text.as_str(), over.is_below), ("7 over", false));
    }

    #[test]
    fn the_texts_of_the_row_are_inside_it_and_do_not_touch_or_reach_beyond_the_tiles_beside_them() {
        for width in [150.0, 168.0, 224.0, 264.0, 405.0, 700.0] {
            for text_scale in [1.0, 2.0] {
                let geometry = geometry(width, 27.0, text_scale);
                for counts in [[15, 0, 0, 0], [12, 0, 7, 3], [5, 7, 7, 7], [8, 4, 3, 4], [0, 14, 1, 2], [0, 12, 1, 13]]
                {
                    let RowLabels { runs, over } = labels(counts, [12, 15, 19], &geometry);
                    let spans = spans(counts);
                    let context = format!("{counts:?} in {width} at {text_scale}");
                    for (index, label) in runs.iter().enumerate() {
                        let Some(label) = label else { continue };
                        let neighbor = spans.get(index.saturating_sub(1)).map_or(0.0, |span| geometry.x(span.from));
                        // A line leads to a text that begins further away.
                        let is_near = label.x - label.half >= neighbor - 0.01;
                        let is_led_to = label.leader.is_some_and(|(from, to)| (from - to).abs() < 20.0);
                        assert!(is_near || (is_led_to && label.x >= label.half), "{context}: {label:?}");
                        assert!(label.x + label.half <= width + 0.01, "{context}: {label:?}");
                        let others = runs.iter().skip(index.saturating_add(1)).flatten().chain([&over]);
                        // They may be as close as their room allows.
                        let close = RowLabel { half: label.half - 0.1, ..label.clone() };
                        assert!(others.into_iter().all(|other| !close.touches(other)), "{context}: {label:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_group_that_is_too_thin_to_be_seen_has_its_text_and_a_line_to_it() {
        // A pod is less than a tenth of a pixel wide.
        for width in [405.0, 700.0] {
            let geometry = geometry(width, 14_882.0, 1.0);
            let marks = [7_500, 10_000, 12_500];
            let shown = labels([9_979, 0, 7, 21], marks, &geometry);
            assert_eq!(texts(&shown), ["9979 old", "7 starting", "21 terminating"], "{width}");
            let RowLabels { runs, over } = shown;
            let starting = runs[1].as_ref().unwrap();
            assert!(starting.is_below && !starting.touches(&over), "{starting:?}");
            let (from, to) = starting.leader.unwrap();
            assert!((from - geometry.x(9_982)).abs() < 0.1, "{starting:?}");
            assert!((to - starting.x).abs() <= starting.half && (to - from).abs() < 20.0, "{starting:?}");
            // Where there is room, no line crosses it.
            let is_struck = (starting.x - geometry.x(10_000)).abs() < starting.half - 0.11;
            assert_eq!(is_struck, width < 500.0, "{starting:?}");
        }
        // Two thin groups have a text each.
        let runs = labels([9_900, 9, 90, 21], [7_500, 10_000, 12_500], &geometry(700.0, 14_882.0, 1.0)).runs;
        let thin: Vec<&RowLabel> = runs.iter().flatten().filter(|label| label.leader.is_some()).collect();
        assert_eq!(thin.len(), 2, "{thin:?}");
        assert!(!thin[0].touches(thin[1]), "{thin:?}");
    }

    #[test]
    fn a_text_that_a_line_leads_to_does_not_run_together_with_the_one_beside_it() {
        for (counts, marks, columns) in [
            ([500, 250, 0, 500], [750, 1_000, 1_250], 2_001.0),
            ([1_000, 500, 0, 1_000], [1_500, 2_000, 2_500], 4_001.0),
            ([2_500, 1_250, 0, 2_500], [3_750, 5_000, 6_250], 10_001.0),
        ] {
            let runs = labels(counts, marks, &geometry(421.0, columns, 1.0)).runs;
            let shown: Vec<&RowLabel> = runs.iter().flatten().collect();
            let (new, terminating) = (shown[1], shown[2]);
            assert!(new.leader.is_some() && new.is_below == terminating.is_below, "{shown:?}");
            // Their letters may be a little longer than estimated.
            assert!(new.x + new.half + 4.0 <= terminating.x - terminating.half, "{shown:?}");
        }
    }

    #[test]
    fn a_count_stands_beside_the_line_that_would_cross_it() {
        let geometry = geometry(264.0, 27.0, 1.0);
        let marks = geometry.marks(Marks { desired: 15, limit: 19, min_available: 12 });
        let spans = spans([5, 7, 7, 7]);
        let starting = GroupRun::all(&spans)[2];
        let starting = count_label(&starting, ["old", "new", "newest"], marks, &[], &geometry).unwrap();
        assert_eq!(starting.text, "7");
        assert!((starting.x - geometry.x(15)).abs() >= starting.half - 0.11, "{starting:?}");
    }
}
