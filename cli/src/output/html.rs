//! A timeline as an HTML page that needs nothing else: the page's picture of each Deployment and Job, and the steps. Time runs
//! down, pods stand side by side; the color is the version, the pattern is the state.

use std::fmt::Write as _;

use changeover_core::object::{Object, ObjectKey, Time};
use changeover_core::timeline::{Counts, Marks, PodState, Point, Series, Timeline};
use changeover_core::workload::job::{JobPoint, JobSeries};

use super::junit::escaped;
use crate::time_format::clock;

/// The size of a picture, without the times on the left and the labels of the marks above.
const WIDTH: i64 = 900;
const HEIGHT: i64 = 420;

/// The room for the times and for the labels.
const LEFT: i64 = 60;
const ABOVE: i64 = 44;

/// The room for the number of pods above the limit, as a share of the width: one part in this many.
const ZONE_SHARE: i64 = 6;

/// How many colors there are for versions.
const COLORS: usize = 4;

/// The page's colors (`www/static/style.css`).
const STYLE: &str = "
:root{
  color-scheme: light dark;
  --paper: #fdfcf8;
  --ink: #1b1c1f;
  --mute: #5b5f66;
  --over: #b34700;
  --zone: #fdf4ec;
  --r0: #0072b2;
  --r0-soft: #a9cee4;
  --r1: #3cba92;
  --r1-soft: #c4eadd;
  --r2: #8a2f62;
  --r2-soft: #efd3e2;
  --r3: #e69f00;
  --r3-soft: #f8e0ab;
}
@media (prefers-color-scheme: dark){:root{
    --paper: #141619;
    --ink: #ebe9e3;
    --mute: #a9adb3;
    --over: #ff9a5c;
    --zone: #1d1917;
    --r0: #3f9bd6;
    --r0-soft: #1f4a67;
    --r1: #2ba37c;
    --r1-soft: #1a4a3b;
    --r2: #efc0da;
    --r2-soft: #5b3a4c;
    --r3: #e0a52b;
    --r3-soft: #5d4718;
}}
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--paper)}
figure{margin:0}
svg{width:100%;height:auto;font:13px system-ui,sans-serif;fill:var(--ink)}
.r0{--hue:var(--r0);--soft:var(--r0-soft)}.r1{--hue:var(--r1);--soft:var(--r1-soft)}
.r2{--hue:var(--r2);--soft:var(--r2-soft)}.r3{--hue:var(--r3);--soft:var(--r3-soft)}
.available{fill:var(--hue)}.unknown{fill:var(--mute)}.soft{fill:var(--soft)}.solid{fill:var(--hue)}
.zone{fill:var(--zone)}.over{fill:url(#over);stroke:var(--over);stroke-width:2.5}.lines{fill:none;stroke:var(--over);stroke-width:4}
.mark{fill:none;stroke:var(--ink);stroke-width:1.25}
.minimum{stroke-dasharray:2 3}.desired{stroke-dasharray:6 4}.limit{stroke:var(--over);stroke-width:2}
.too-many{fill:var(--over);stroke:var(--zone);stroke-width:5px;paint-order:stroke;font-weight:700}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem}.legend svg{width:.9rem;height:.9rem;margin-right:.3rem;vertical-align:-.1rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
td,th{padding:.1rem .8rem .1rem 0;text-align:left;vertical-align:top}
td:first-child{text-align:right}td:nth-child(2){white-space:nowrap;color:var(--mute)}
";

/// The states in the order in which the pods stand, from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Band {
    Available,
    Starting,
    Unknown,
    Terminating,
}

impl Band {
    const ALL: [Self; 4] = [Self::Available, Self::Starting, Self::Unknown, Self::Terminating];

    const fn name(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Starting => "starting",
            Self::Unknown => "unknown",
            Self::Terminating => "terminating",
        }
    }

    const fn pods(self, counts: &Counts) -> i32 {
        match self {
            Self::Available => counts.available,
            Self::Starting => counts.ready.saturating_add(counts.starting).saturating_add(counts.pending),
            Self::Unknown => counts.unknown,
            Self::Terminating => counts.terminating,
        }
    }

    /// The fill of a version's pods, as an attribute.
    fn fill(self, color: usize) -> String {
        match self {
            Self::Available | Self::Unknown => String::new(),
            Self::Starting => format!(" fill=\"url(#dots-{color})\""),
            Self::Terminating => format!(" fill=\"url(#hatch-{color})\""),
        }
    }
}

/// The pods of a workload from a time on, version by version.
struct Moment {
    time: Time,
    versions: Vec<Counts>,
    marks: Option<Marks>,
}

impl Moment {
    fn pods(&self) -> i32 {
        self.versions.iter().map(Counts::holding).fold(0, i32::saturating_add)
    }

    fn available(&self) -> i32 {
        self.versions.iter().map(|counts| counts.available).fold(0, i32::saturating_add)
    }

    fn over(&self) -> i32 {
        self.marks.map_or(0, |marks| self.pods().saturating_sub(marks.limit).max(0))
    }
}

/// What is drawn of a workload.
struct Lane {
    title: String,
    /// The names of its versions: the ReplicaSets of a Deployment, in the order in which they appear.
    versions: Vec<String>,
    moments: Vec<Moment>,
}

impl Lane {
    fn of_deployment(timeline: &Timeline, key: &ObjectKey, series: &Series) -> Self {
        let mut lane = Self { title: format!("Deployment {}", key.name), versions: Vec::new(), moments: Vec::new() };
        let mut cursor = timeline.cursor();
        // Of an instant, only its end has a height.
        for point in series.points.chunk_by(|a, b| a.time == b.time).filter_map(<[Point]>::last) {
            cursor.seek(timeline, point.frame);
            let mut moment = Moment { time: point.time, versions: Vec::new(), marks: Some(point.marks) };
            if let Some(Object::Deployment(deployment)) = cursor.state().get(key) {
                let mut replica_sets = cursor.state().replica_sets_of(deployment);
                replica_sets.sort_by_key(|replica_set| replica_set.metadata.creation_timestamp);
                for replica_set in replica_sets {
                    let version = lane.number_of(&replica_set.metadata.name);
                    moment.versions.resize(lane.versions.len(), Counts::default());
                    let Some(counts) = moment.versions.get_mut(version) else { continue };
                    for pod in cursor.state().pods_of(replica_set) {
                        counts.add(PodState::of(pod, deployment.spec.min_ready_seconds, point.time), 1);
                    }
                }
            }
            lane.moments.push(moment);
        }
        lane
    }

    fn of_job(timeline: &Timeline, key: &ObjectKey) -> Self {
        let series = JobSeries::of(timeline, &key.namespace, &key.name);
        let ends = series.points.chunk_by(|a, b| a.time == b.time).filter_map(<[JobPoint]>::last);
        let moment = |point: &JobPoint| Moment { time: point.time, versions: vec![point.counts], marks: None };
        Self {
            title: format!("Job {}", key.name),
            versions: vec![key.name.to_string()],
            moments: ends.map(moment).collect(),
        }
    }

    /// The number of a version, which it gets when it first appears.
    fn number_of(&mut self, name: &str) -> usize {
        self.versions.iter().position(|version| version == name).unwrap_or_else(|| {
            self.versions.push(name.to_owned());
            self.versions.len().saturating_sub(1)
        })
    }
}

/// From pods and times to places in a picture.
struct Geometry {
    start: Time,
    /// How long the picture's time is, in nanoseconds.
    span: i64,
    /// How many pods fit side by side.
    columns: i64,
}

impl Geometry {
    fn new(timeline: &Timeline, moments: &[Moment]) -> Self {
        let start = timeline.scenario.start;
        // After the last change nothing is to be seen; some room shows how it ends.
        let last = moments.last().map_or(0, |moment| moment.time.since(start));
        let span = last.saturating_add(last.div_euclid(20)).max(Time::SECOND);
        let most = moments.iter().map(Moment::pods).max().unwrap_or(0);
        let limit = moments.iter().filter_map(|moment| moment.marks).map(|marks| marks.limit).max().unwrap_or(0);
        let zone = i64::from(limit).div_euclid(ZONE_SHARE).saturating_add(1);
        // One column stays free, so that nothing seems to be cut off.
        let columns = i64::from(most).saturating_add(1).max(i64::from(limit).saturating_add(zone)).max(1);
        Self { start, span, columns }
    }

    fn x(&self, pods: i32) -> i64 {
        LEFT.saturating_add(i64::from(pods).saturating_mul(WIDTH).div_euclid(self.columns).min(WIDTH))
    }

    fn y(&self, time: Time) -> i64 {
        let since = time.since(self.start).clamp(0, self.span);
        let share = i128::from(since).saturating_mul(HEIGHT.into()).div_euclid(self.span.into());
        ABOVE.saturating_add(i64::try_from(share).unwrap_or(HEIGHT))
    }
}

/// A moment with its upper and lower edge.
struct Row<'a> {
    moment: &'a Moment,
    top: i64,
    bottom: i64,
}

/// The page. The steps have their times, their actors' names and their sentences.
pub fn timeline(timeline: &Timeline, title: &str, steps: &[[String; 3]]) -> String {
    let title = escaped(title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <h1>{title}</h1>\n{}",
        patterns()
    );
    for (key, series) in Series::of_all(timeline) {
        page.push_str(&figure(timeline, &Lane::of_deployment(timeline, &key, &series)));
    }
    for key in timeline.jobs() {
        page.push_str(&figure(timeline, &Lane::of_job(timeline, &key)));
    }
    page.push_str("<h2>Steps</h2>\n<table>\n<tr><th>Time<th>By<th>Step\n");
    for [time, actor, sentence] in steps {
        page.push_str(&format!("<tr><td>{time}<td>{actor}<td>{}\n", escaped(sentence)));
    }
    page.push_str(&format!("</table>\n<p>{}</p>\n</html>\n", escaped(&timeline.end.message)));
    page
}

/// The patterns of starting and terminating pods in each color, and of pods above the limit.
fn patterns() -> String {
    let of_color = |color: usize| {
        format!(
            "<pattern id=\"dots-{color}\" class=\"r{color}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">\
             <rect class=\"soft\" width=\"6\" height=\"6\"/><circle class=\"solid\" cx=\"3\" cy=\"3\" r=\"1.1\"/></pattern>\n\
             <pattern id=\"hatch-{color}\" class=\"r{color}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><rect class=\"soft\" width=\"6\" height=\"6\"/>\
             <rect class=\"solid\" width=\"3\" height=\"6\"/></pattern>\n"
        )
    };
    let colors: String = (0..COLORS).map(of_color).collect();
    format!(
        "<svg style=\"position:absolute;width:0;height:0\" aria-hidden=\"true\">\n{colors}\
         <pattern id=\"over\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
         <path class=\"lines\" d=\"M0 4H8M4 0V8\"/></pattern>\n</svg>\n"
    )
}

/// The picture of a workload, with what it shows in words.
fn figure(timeline: &Timeline, lane: &Lane) -> String {
    let geometry = Geometry::new(timeline, &lane.moments);
    let ends = lane.moments.iter().skip(1).map(|next| geometry.y(next.time)).chain([ABOVE.saturating_add(HEIGHT)]);
    let rows: Vec<Row<'_>> = (lane.moments.iter().zip(ends))
        .map(|(moment, bottom)| Row { moment, top: geometry.y(moment.time), bottom })
        .collect();
    let peak = lane.moments.iter().map(Moment::pods).max().unwrap_or(0);
    let lowest = lane.moments.iter().map(Moment::available).min().unwrap_or(0);
    let summary = format!("at most {peak} pods, at least {lowest} available");
    let title = escaped(&lane.title);
    let (width, height) = (LEFT.saturating_add(WIDTH), ABOVE.saturating_add(HEIGHT));
    format!(
        "<figure>\n<h2>{title}</h2>\n\
         <svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}: {summary}\">\n{}{}{}{}</svg>\n\
         <figcaption>{}<p class=\"legend\">{}</p></figcaption>\n</figure>\n",
        zone(&rows, &geometry),
        groups(&rows, &geometry, lane.versions.len()),
        marks(&rows, &geometry),
        times(&rows),
        capitalized(&summary),
        legend(lane),
    )
}

/// `At most 5 pods.`
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// The pods, band by band and version by version.
fn groups(rows: &[Row<'_>], geometry: &Geometry, versions: usize) -> String {
    let mut shapes = String::new();
    let mut left: Vec<i32> = vec![0; rows.len()];
    for band in Band::ALL {
        for version in 0..versions {
            let mut path = String::new();
            for (row, left) in rows.iter().zip(&mut left) {
                let pods = row.moment.versions.get(version).map_or(0, |counts| band.pods(counts));
                let right = left.saturating_add(pods);
                if pods > 0 && row.bottom > row.top {
                    let (from, to) = (geometry.x(*left), geometry.x(right));
                    path.push_str(&format!("M{from} {}H{to}V{}H{from}Z", row.top, row.bottom));
                }
                *left = right;
            }
            if !path.is_empty() {
                let color = version.checked_rem(COLORS).unwrap_or_default();
                let (name, fill) = (band.name(), band.fill(color));
                shapes.push_str(&format!("<path class=\"{name} r{color}\"{fill} d=\"{path}\"/>\n"));
            }
        }
    }
    shapes
}

/// The zone above the limit.
fn zone(rows: &[Row<'_>], geometry: &Geometry) -> String {
    let right = LEFT.saturating_add(WIDTH);
    let mut path = String::new();
    for row in rows {
        if let Some(marks) = row.moment.marks.filter(|_| row.bottom > row.top) {
            path.push_str(&format!("M{} {}H{right}V{}H{0}Z", geometry.x(marks.limit), row.top, row.bottom));
        }
    }
    if path.is_empty() { path } else { format!("<path class=\"zone\" d=\"{path}\"/>\n") }
}

/// A line across the picture, at one of the marks.
struct MarkLine {
    class: &'static str,
    label: &'static str,
    /// Where the label stands.
    label_y: i64,
    value: fn(Marks) -> i32,
}

/// The pods above the limit, and the lines of the fewest available pods, the desired ones and the limit with their labels.
fn marks(rows: &[Row<'_>], geometry: &Geometry) -> String {
    let mut shapes = String::new();
    for run in rows.chunk_by(|row, next| row.moment.over() > 0 && next.moment.over() > 0) {
        let Some(widest) = run.iter().max_by_key(|row| row.moment.over()).filter(|row| row.moment.over() > 0) else {
            continue;
        };
        // Down on the right, along the last pods, and up on the left, along the limit.
        let limit = |row: &Row<'_>| geometry.x(row.moment.marks.map_or(0, |marks| marks.limit));
        let pods = |row: &Row<'_>| geometry.x(row.moment.pods());
        let start = run.first().map_or_else(String::new, |first| format!("M{} {}", limit(first), first.top));
        let down: String = run.iter().map(|row| format!("H{}V{}", pods(row), row.bottom)).collect();
        let up: String = run.iter().rev().map(|row| format!("H{}V{}", limit(row), row.top)).collect();
        let (x, y) = (i64::midpoint(limit(widest), pods(widest)), i64::midpoint(widest.top, widest.bottom));
        let over = widest.moment.over();
        shapes.push_str(&format!(
            "<path class=\"over\" d=\"{start}{down}{up}Z\"/>\n\
             <text class=\"too-many\" x=\"{x}\" y=\"{y}\" dy=\".35em\" text-anchor=\"middle\">{over} over</text>\n"
        ));
    }
    // The labels stand one above the other, so that close lines keep them apart.
    let lines = [
        MarkLine { class: "minimum", label: "at least", label_y: 12, value: |marks| marks.min_available },
        MarkLine { class: "desired", label: "desired", label_y: 26, value: |marks| marks.desired },
        MarkLine { class: "limit", label: "limit", label_y: 40, value: |marks| marks.limit },
    ];
    for MarkLine { class, label, label_y, value } in lines {
        let mut path = String::new();
        for row in rows {
            if let Some(marks) = row.moment.marks {
                let (x, command) = (geometry.x(value(marks)), if path.is_empty() { "M" } else { "L" });
                path.push_str(&format!("{command}{x} {}V{}", row.top, row.bottom));
            }
        }
        let Some(last) = rows.last().and_then(|row| row.moment.marks) else { continue };
        let x = geometry.x(value(last));
        shapes.push_str(&format!(
            "<path class=\"mark {class}\" d=\"{path}\"/>\n\
             <text x=\"{x}\" y=\"{label_y}\" text-anchor=\"middle\">{label} {}</text>\n",
            value(last)
        ));
    }
    shapes
}

/// The times on the left at which something changes, as far as they have room.
fn times(rows: &[Row<'_>]) -> String {
    const LINE: i64 = 17;
    let mut texts = String::new();
    let mut free_from = i64::MIN;
    let start = rows.first().map_or(Time(0), |row| row.moment.time);
    for row in rows.iter().filter(|row| row.bottom > row.top) {
        if row.top >= free_from {
            free_from = row.top.saturating_add(LINE);
            let (x, time) = (LEFT.saturating_sub(8), clock(row.moment.time.since(start)));
            // Writing to a String cannot fail.
            let _ = writeln!(texts, "<text x=\"{x}\" y=\"{}\" dy=\".8em\" text-anchor=\"end\">{time}</text>", row.top);
        }
    }
    texts
}

/// What the colors and the patterns mean.
fn legend(lane: &Lane) -> String {
    let swatch = |band: Band, color: usize, text: &str| {
        format!(
            "<span><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\"><rect class=\"{} r{color}\"{} width=\"14\" height=\"14\"/>\
             </svg>{}</span>",
            band.name(),
            band.fill(color),
            escaped(text)
        )
    };
    let versions = lane.versions.iter().zip((0..COLORS).cycle());
    let versions = versions.map(|(name, color)| swatch(Band::Available, color, name));
    let is_used = |band: &Band| {
        let mut counts = lane.moments.iter().flat_map(|moment| &moment.versions);
        *band != Band::Available && counts.any(|counts| band.pods(counts) > 0)
    };
    let bands = Band::ALL.into_iter().filter(is_used).map(|band| swatch(band, 0, band.name()));
    versions.chain(bands).collect()
}

#[cfg(test)]
mod tests {
    use super::STYLE;

    #[test]
    fn the_colors_are_those_of_the_page() {
        let page = include_str!("../../../www/static/style.css");
        let colors: Vec<&str> = STYLE.lines().map(str::trim).filter(|line| line.starts_with("--")).collect();
        assert!(!colors.is_empty());
        for color in colors {
            assert!(page.lines().any(|line| line.trim() == color), "{color}");
        }
    }
}
