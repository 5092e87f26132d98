//! What the lanes cost, side by side.

use changeover_core::timeline::Totals;
use changeover_wire::format_clock;
use yew::Html;

use crate::element::{el, text, words};
use crate::linear_scale::{float, n};
use crate::playback::{Lane, Stage};
use crate::ui_text::{grouped, plural};

/// Which value of a row is the best.
#[derive(Clone, Copy, PartialEq)]
enum Best {
    /// The least.
    Least,
    /// The most.
    Most,
    /// The least, where in no lane more would still come.
    LeastAtTheEnd,
}

/// A row of the table: what it is called, its value, how that is written, and what is best.
type Line = (&'static str, fn(&Totals) -> i64, fn(i64) -> String, Best);

const LINES: [Line; 6] = [
    ("Peak pods", |totals| i64::from(totals.peak), pods, Best::Least),
    ("Over the limit, in pod-seconds", |totals| totals.over, seconds, Best::LeastAtTheEnd),
    ("Terminating, in pod-seconds", |totals| totals.terminating, seconds, Best::LeastAtTheEnd),
    ("Fewest available pods", |totals| i64::from(totals.lowest_available), pods, Best::Most),
    ("Time to complete", |totals| totals.complete.unwrap_or(i64::MAX), time, Best::Least),
    ("Until the last pod is gone", |totals| totals.alone.unwrap_or(i64::MAX), time, Best::Least),
];

fn pods(count: i64) -> String {
    grouped(i32::try_from(count).unwrap_or(i32::MAX))
}

fn seconds(nanoseconds: i64) -> String {
    String::from(&*n(float(nanoseconds) / 1e9))
}

fn time(nanoseconds: i64) -> String {
    if nanoseconds == i64::MAX { String::from("never") } else { format_clock(nanoseconds) }
}

/// What a lane came to, in a few words.
pub(crate) fn brief(totals: &Totals) -> String {
    let most = plural(totals.peak, "pod") + " at most";
    totals
        .complete
        .map_or_else(|| most.clone(), |time| format!("{most}, complete {} after the change", format_clock(time)))
}

/// Draws the table; the best value of each row is marked, where they are not all the same. `before`: where the user
/// did something beside what happened, what each lane came to without it, as far as that is known.
pub(crate) fn view(stage: &Stage, before: Option<&[Totals]>) -> Html {
    let mut head = vec![words("td", &[], "")];
    for lane in &stage.lanes {
        // Where there is little room, the policies' names break between their words.
        let mut name = Vec::new();
        for piece in lane.rules.name.split_inclusive("Termination") {
            name.extend([text(piece), el("wbr", &[], Vec::new())]);
        }
        head.push(el("th", &[("scope", "col")], name));
    }
    let mut rows = Vec::new();
    let open = stage.lanes.iter().any(Lane::costs_more);
    for (name, of, write, best) in LINES {
        let values: Vec<i64> = stage.lanes.iter().map(|lane| of(&lane.totals)).collect();
        let none = open && best == Best::LeastAtTheEnd;
        let best = if best == Best::Most { values.iter().max() } else { values.iter().min() };
        let same = none || values.iter().all(|value| Some(value) == best);
        let mut cells = vec![words("th", &[("scope", "row")], name)];
        for (lane, value) in values.iter().enumerate() {
            let is_best = Some(value) == best && !same;
            let mut inside = vec![words("span", &[], &write(*value))];
            if is_best {
                inside.push(words("span", &[("class", "best")], " best"));
            }
            let was = before.and_then(|before| before.get(lane)).map(of).filter(|was| was != value);
            if let Some(was) = was {
                inside.push(words(
                    "span",
                    &[("class", "was")],
                    &format!("{} was {}", if is_best { "," } else { "" }, write(was)),
                ));
            }
            cells.push(el("td", &[("?class", if is_best { "is-best" } else { "" })], inside));
        }
        rows.push(el("tr", &[], cells));
    }
    let table = el(
        "table",
        &[],
        vec![
            words(
                "caption",
                &[],
                if before.is_some() { "What it came to, with what you did" } else { "What it came to" },
            ),
            el("thead", &[], vec![el("tr", &[], head)]),
            el("tbody", &[], rows),
        ],
    );
    el("section", &[("class", "compare"), ("key", "compare"), ("aria-label", "Comparison")], vec![table])
}
