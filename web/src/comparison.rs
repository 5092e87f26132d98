//! The comparison: a table with the totals of all lanes side by side.

use changeover_core::timeline::Totals;
use changeover_wire::format_clock;
use yew::Html;

use crate::element::{element, text_element, text_node};
use crate::linear_scale::{format_px, to_f64};
use crate::playback::{Lane, Playback};
use crate::ui_text::{group_digits, plural};

/// Which value of a row is the best.
#[derive(Clone, Copy, PartialEq)]
enum BestValue {
    /// The least.
    Least,
    /// The most.
    Most,
    /// The least, but only if the costs of all lanes are complete.
    LeastWhenComplete,
}

/// A row of the table: its title, its value, how the value is written, and which one is best.
type TotalsRow = (&'static str, fn(&Totals) -> i64, fn(i64) -> String, BestValue);

const ROWS: [TotalsRow; 6] = [
    ("Peak pods", |totals| i64::from(totals.peak), format_pods, BestValue::Least),
    ("Over the limit, in pod-seconds", |totals| totals.over, format_seconds, BestValue::LeastWhenComplete),
    ("Terminating, in pod-seconds", |totals| totals.terminating, format_seconds, BestValue::LeastWhenComplete),
    ("Fewest available pods", |totals| i64::from(totals.lowest_available), format_pods, BestValue::Most),
    ("Time to complete", |totals| totals.complete.unwrap_or(i64::MAX), format_time, BestValue::Least),
    (
        "Until the last old pod is gone",
        |totals| totals.last_old_pod_gone.unwrap_or(i64::MAX),
        format_time,
        BestValue::Least,
    ),
];

fn format_pods(count: i64) -> String {
    group_digits(i32::try_from(count).unwrap_or(i32::MAX))
}

fn format_seconds(nanoseconds: i64) -> String {
    String::from(&*format_px(to_f64(nanoseconds) / 1e9))
}

fn format_time(nanoseconds: i64) -> String {
    if nanoseconds == i64::MAX { String::from("never") } else { format_clock(nanoseconds) }
}

/// The totals of a lane in a few words.
pub(crate) fn summary(totals: &Totals) -> String {
    let most = plural(totals.peak, "pod") + " at most";
    totals
        .complete
        .map_or_else(|| most.clone(), |time| format!("{most}, complete {} after the change", format_clock(time)))
}

/// The table. It marks the best value of each row, unless all are equal. `before`: the totals without the user's forks, as far
/// as they are known.
pub(crate) fn view(playback: &Playback, before: Option<&[Totals]>) -> Html {
    let mut head = vec![text_element("td", &[], "")];
    for lane in &playback.lanes {
        // On narrow screens the names of the policies break between their words.
        let mut name = Vec::new();
        for piece in lane.info.name.split_inclusive("Termination") {
            name.extend([text_node(piece), element("wbr", &[], Vec::new())]);
        }
        head.push(element("th", &[("scope", "col")], name));
    }
    let mut rows = Vec::new();
    let has_open_costs = playback.lanes.iter().any(Lane::has_open_costs);
    for (name, value_of, write, best) in ROWS {
        let values: Vec<i64> = playback.lanes.iter().map(|lane| value_of(&lane.totals)).collect();
        let none = has_open_costs && best == BestValue::LeastWhenComplete;
        let best = if best == BestValue::Most { values.iter().max() } else { values.iter().min() };
        let same = none || values.iter().all(|value| Some(value) == best);
        let mut cells = vec![text_element("th", &[("scope", "row")], name)];
        for (lane, value) in values.iter().enumerate() {
            let is_best = Some(value) == best && !same;
            let mut children = vec![text_element("span", &[], &write(*value))];
            if is_best {
                children.push(text_element("span", &[("class", "best")], " best"));
            }
            let previous =
                before.and_then(|before| before.get(lane)).map(value_of).filter(|previous| previous != value);
            if let Some(previous) = previous {
                children.push(text_element(
                    "span",
                    &[("class", "was")],
                    &format!("{} was {}", if is_best { "," } else { "" }, write(previous)),
                ));
            }
            cells.push(element("td", &[("?class", if is_best { "is-best" } else { "" })], children));
        }
        rows.push(element("tr", &[], cells));
    }
    let table = element(
        "table",
        &[],
        vec![
            text_element(
                "caption",
                &[],
                if before.is_some() { "What it came to, with what you did" } else { "What it came to" },
            ),
            element("thead", &[], vec![element("tr", &[], head)]),
            element("tbody", &[], rows),
        ],
    );
    element("section", &[("class", "compare"), ("key", "compare"), ("aria-label", "Comparison")], vec![table])
}
