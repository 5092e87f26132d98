use changeover_wire::{Totals, format_clock};
use yew::{Html, Properties, classes, component, html};

use crate::number::group_digits;

/// The properties of [`Answers`].
#[derive(PartialEq, Properties)]
pub struct AnswersProps {
    /// The lane's totals.
    pub totals: Totals,
    /// The totals of the other lane; none if there is no other one.
    pub other: Option<Totals>,
}

/// A number above a lane.
struct Answer {
    label: &'static str,
    /// The label where there is little room.
    short_label: &'static str,
    value: String,
    note: Option<String>,
    is_better: bool,
    is_over: bool,
}

/// The answers: what the rollout takes and when it is done.
#[component]
pub fn Answers(props: &AnswersProps) -> Html {
    let AnswersProps { totals, other } = props;
    html! {
        <dl class="answers">
            { for answers(totals, other.as_ref()).into_iter().map(|answer| {
                let class = classes!(answer.is_better.then_some("better"), answer.is_over.then_some("over"));
                html! {
                    <div {class}>
                        <dt><span class="long">{ answer.label }</span><span class="short">{ answer.short_label }</span></dt>
                        <dd>
                            <b>{ answer.value }</b>
                            if let Some(note) = answer.note { <span class="note">{ note }</span> }
                            if answer.is_better { <span class="better-sign">{ "better" }</span> }
                        </dd>
                    </div>
                }
            }) }
        </dl>
    }
}

fn answers(totals: &Totals, other: Option<&Totals>) -> [Answer; 4] {
    let is_sooner = |time: fn(&Totals) -> Option<i64>| {
        other.is_some_and(|other| match (time(totals), time(other)) {
            (Some(this), Some(other)) => seconds(this) < seconds(other),
            (this, other) => this.is_some() && other.is_none(),
        })
    };
    let clock = |time: Option<i64>| time.map_or_else(|| String::from("never"), format_clock);
    [
        Answer {
            label: "pods at most",
            short_label: "peak",
            value: group_digits(totals.peak),
            note: (totals.over > 0).then(|| format!("{} over", group_digits(totals.over))),
            is_better: other.is_some_and(|other| totals.peak < other.peak),
            is_over: totals.over > 0,
        },
        Answer {
            label: "available at least",
            short_label: "low",
            value: group_digits(totals.lowest_available),
            note: None,
            is_better: other.is_some_and(|other| totals.lowest_available > other.lowest_available),
            is_over: false,
        },
        Answer {
            label: "complete after",
            short_label: "done",
            value: clock(totals.complete),
            note: None,
            is_better: is_sooner(|totals| totals.complete),
            is_over: false,
        },
        Answer {
            label: "last old pod gone",
            short_label: "gone",
            value: clock(totals.last_old_pod_gone),
            note: None,
            is_better: is_sooner(|totals| totals.last_old_pod_gone),
            is_over: false,
        },
    ]
}

/// What the better lane costs, in a sentence: `Never more than 19 pods, but 0:10 later.`; none if the lanes cost the same.
pub fn trade(first: &Totals, other: &Totals) -> Option<String> {
    let pods = other.peak.saturating_sub(first.peak);
    let later = first.complete.zip(other.complete).map(|(first, other)| seconds(other).saturating_sub(seconds(first)));
    let time = |seconds: i64| format_clock(seconds.abs().saturating_mul(1_000_000_000));
    let space = match pods {
        0 => None,
        pods if pods < 0 => Some(format!("{} fewer pods at most", group_digits(pods.saturating_neg()))),
        pods => Some(format!("{} more pods at most", group_digits(pods))),
    };
    let end = match later {
        // One of them is never complete.
        None => return space.map(|space| space + "."),
        Some(0) => None,
        Some(later) if later > 0 => Some(format!("complete {} later", time(later))),
        Some(later) => Some(format!("complete {} sooner", time(later))),
    };
    match (space, end) {
        (None, None) => None,
        (Some(space), None) => Some(format!("{space}, and just as fast.")),
        (None, Some(end)) => Some(format!("The same number of pods, {end}.")),
        (Some(space), Some(end)) => {
            let and = if (pods < 0) == (later < Some(0)) { "and" } else { "but" };
            Some(format!("{space}, {and} {end}."))
        }
    }
}

fn seconds(nanoseconds: i64) -> i64 {
    nanoseconds.div_euclid(1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(peak: i32, complete: i64) -> Totals {
        Totals { peak, complete: Some(complete.saturating_mul(1_000_000_000)), ..Totals::default() }
    }

    #[test]
    fn the_trade_names_what_is_gained_and_what_it_costs() {
        let cases = [
            ((26, 18), (19, 28), Some("7 fewer pods at most, but complete 0:10 later.")),
            ((26, 18), (19, 18), Some("7 fewer pods at most, and just as fast.")),
            ((26, 18), (19, 10), Some("7 fewer pods at most, and complete 0:08 sooner.")),
            ((19, 18), (20, 28), Some("1 more pods at most, and complete 0:10 later.")),
            ((19, 18), (19, 28), Some("The same number of pods, complete 0:10 later.")),
            ((19, 18), (19, 18), None),
        ];
        for (first, other, sentence) in cases {
            assert_eq!(trade(&totals(first.0, first.1), &totals(other.0, other.1)).as_deref(), sentence);
        }
    }
}
