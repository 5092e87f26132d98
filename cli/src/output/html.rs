//! A timeline as an HTML page that needs nothing else: a picture for each Deployment and Job, and the steps.

use changeover_core::object::Time;
use changeover_core::timeline::{Counts, JobSeries, Marks, Point, Series, Timeline};

use super::junit::escaped;
use crate::span::clock;

/// The size of a picture, without the axes.
const WIDTH: i64 = 1000;
const HEIGHT: i64 = 220;

/// The room on the left and below for the axes.
const LEFT: i64 = 40;
const BELOW: i64 = 24;

/// The colors of Okabe and Ito, which people with any color vision can tell apart.
const STYLE: &str = "
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
svg{width:100%;height:auto;font:12px system-ui,sans-serif;fill:currentColor}
.available{fill:#009e73}.ready{fill:#0072b2}.starting{fill:#56b4e9}.unknown{fill:#d55e00}.terminating{fill:#cc79a7}
.mark{fill:none;stroke:currentColor;stroke-width:1.5}.limit{stroke-dasharray:6 4}
.axis{fill:none;stroke:currentColor;opacity:.4}
.legend span::before{content:'';display:inline-block;width:.8em;height:.8em;margin-right:.3em;background:var(--c)}
.legend span{margin-right:1.2em}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
td,th{padding:.1rem .8rem .1rem 0;text-align:left;vertical-align:top}
td:first-child{text-align:right}td:nth-child(2){white-space:nowrap;opacity:.7}
";

/// The states of pods in the order in which they are stacked, with their colors.
const STATES: [(&str, &str); 5] = [
    ("available", "#009e73"),
    ("ready", "#0072b2"),
    ("starting", "#56b4e9"),
    ("unknown", "#d55e00"),
    ("terminating", "#cc79a7"),
];

/// The pods from a time on.
struct Moment {
    time: Time,
    counts: Counts,
    marks: Option<Marks>,
}

impl Moment {
    /// How many pods are in each state, in the order of [`STATES`].
    const fn stack(&self) -> [i32; 5] {
        let Counts { available, ready, starting, pending, terminating, unknown, .. } = self.counts;
        [available, ready, starting.saturating_add(pending), unknown, terminating]
    }
}

/// The page. The steps have their times, their actors' names and their sentences.
pub fn timeline(timeline: &Timeline, title: &str, steps: &[[String; 3]]) -> String {
    let title = escaped(title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <h1>{title}</h1>\n"
    );
    for (key, series) in Series::of_all(timeline) {
        let moment = |point: &Point| Moment { time: point.time, counts: point.counts, marks: Some(point.marks) };
        let moments: Vec<Moment> = series.points.iter().map(moment).collect();
        page.push_str(&figure(timeline, &format!("Deployment {}", key.name), &moments));
    }
    for key in timeline.jobs() {
        let series = JobSeries::of(timeline, &key.namespace, &key.name);
        let points = series.points.iter();
        let moments: Vec<Moment> =
            points.map(|point| Moment { time: point.time, counts: point.counts, marks: None }).collect();
        page.push_str(&figure(timeline, &format!("Job {}", key.name), &moments));
    }
    page.push_str("<h2>Steps</h2>\n<table>\n<tr><th>Time<th>By<th>Step\n");
    for [time, actor, sentence] in steps {
        page.push_str(&format!("<tr><td>{time}<td>{actor}<td>{}\n", escaped(sentence)));
    }
    page.push_str(&format!("</table>\n<p>{}</p>\n</html>\n", escaped(&timeline.end.message)));
    page
}

/// The picture of a workload: time to the right, pods upward.
fn figure(timeline: &Timeline, name: &str, moments: &[Moment]) -> String {
    let start = timeline.scenario.start;
    let peak = moments.iter().map(|moment| moment.counts.holding()).max().unwrap_or(0);
    let lowest = moments.iter().map(|moment| moment.counts.available).min().unwrap_or(0);
    // Of an instant, only its end has a width.
    let moments: Vec<&Moment> =
        moments.chunk_by(|a, b| a.time == b.time).filter_map(|instant| instant.last()).collect();
    // After the last change nothing is to be seen; some room shows how it ends.
    let last = moments.last().map_or(0, |moment| moment.time.since(start));
    let span = last.saturating_add(last.div_euclid(20)).max(Time::SECOND);
    let most = moments.iter().map(|moment| moment.counts.holding().max(moment.marks.map_or(0, |marks| marks.limit)));
    let most = i64::from(most.max().unwrap_or(0).max(1));
    let x = |time: Time| {
        LEFT.saturating_add(time.since(start).saturating_mul(WIDTH).div_euclid(span)).min(LEFT.saturating_add(WIDTH))
    };
    let y = |pods: i32| HEIGHT.saturating_sub(i64::from(pods).saturating_mul(HEIGHT).div_euclid(most));
    // The left and right ends of each moment.
    let ends: Vec<(i64, i64)> = moments
        .iter()
        .enumerate()
        .map(|(index, moment)| {
            let next = moments.get(index.saturating_add(1));
            (x(moment.time), next.map_or(LEFT.saturating_add(WIDTH), |next| x(next.time)))
        })
        .collect();

    let mut shapes = String::new();
    let mut lower = vec![0_i32; moments.len()];
    for (index, (state, _)) in STATES.iter().enumerate() {
        let count = |moment: &Moment| moment.stack().get(index).copied().unwrap_or(0);
        let upper: Vec<i32> =
            moments.iter().zip(&lower).map(|(moment, below)| below.saturating_add(count(moment))).collect();
        let top = ends.iter().zip(&upper).map(|((left, right), pods)| format!("{left},{0} {right},{0}", y(*pods)));
        let bottom =
            ends.iter().zip(&lower).rev().map(|((left, right), pods)| format!("{right},{0} {left},{0}", y(*pods)));
        if upper != lower {
            let points: Vec<String> = top.chain(bottom).collect();
            shapes.push_str(&format!("<polygon class=\"{state}\" points=\"{}\"/>\n", points.join(" ")));
        }
        lower = upper;
    }
    let mut line = |class: &str, value: &dyn Fn(Marks) -> i32| {
        let points: Vec<String> = moments
            .iter()
            .zip(&ends)
            .filter_map(|(moment, (left, right))| Some(format!("{left},{0} {right},{0}", y(value(moment.marks?)))))
            .collect();
        if !points.is_empty() {
            shapes.push_str(&format!("<polyline class=\"mark {class}\" points=\"{}\"/>\n", points.join(" ")));
        }
    };
    line("desired", &|marks| marks.desired);
    line("limit", &|marks| marks.limit);

    let right = LEFT.saturating_add(WIDTH);
    let (width, height) = (right.saturating_add(8), HEIGHT.saturating_add(BELOW));
    let mut axes = format!("<path class=\"axis\" d=\"M{LEFT} 0V{HEIGHT}H{right}\"/>\n");
    for quarter in 0..=4 {
        let time = span.saturating_mul(quarter).div_euclid(4);
        let at = LEFT.saturating_add(WIDTH.saturating_mul(quarter).div_euclid(4));
        let anchor = if quarter == 4 { "end" } else { "middle" };
        let time = clock(time.div_euclid(Time::SECOND).saturating_mul(Time::SECOND));
        axes.push_str(&format!(
            "<text x=\"{at}\" y=\"{}\" text-anchor=\"{anchor}\">{time}</text>\n",
            height.saturating_sub(8)
        ));
    }
    axes.push_str(&format!("<text x=\"{}\" y=\"12\" text-anchor=\"end\">{most}</text>\n", LEFT.saturating_sub(6)));

    let legend: String =
        STATES.iter().map(|(state, color)| format!("<span style=\"--c:{color}\">{state}</span>")).collect();
    let marks = if moments.iter().any(|moment| moment.marks.is_some()) {
        "The line is the desired number of pods; the dashed line is the limit, replicas and maxSurge."
    } else {
        ""
    };
    let name = escaped(name);
    format!(
        "<figure>\n<h2>{name}</h2>\n\
         <svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{name}: at most {peak} pods, at least {lowest} available\">\n\
         {shapes}{axes}</svg>\n\
         <figcaption>At most {peak} pods, at least {lowest} available. {marks}<p class=\"legend\">{legend}</p></figcaption>\n\
         </figure>\n"
    )
}
