use changeover_wire::{ClockFormat, Totals};
use yew::{Html, Properties, classes, component, html};

use crate::figures::figures;
use crate::playback::Excess;

/// The properties of [`Answers`].
#[derive(PartialEq, Properties)]
pub struct AnswersProps {
    /// The lane's totals.
    pub totals: Totals,
    /// How many pods were missing to the minimum.
    pub under: i32,
    /// The most pods over the limit at one moment, unless the other lane has them too.
    pub excess: Option<Excess>,
    /// The totals of the other lane; none if there is no other one.
    pub other: Option<Totals>,
    /// Whether an old version comes back.
    pub is_rollback: bool,
    /// How times are written.
    pub clock: ClockFormat,
    /// Whether it says the difference from the other lane.
    pub shows_difference: bool,
}

/// The answers: what the rollout takes and when it is done.
#[component]
pub fn Answers(props: &AnswersProps) -> Html {
    let AnswersProps { totals, under, excess, other, is_rollback, clock, shows_difference } = props;
    html! {
        <dl class="answers">
            { for figures(totals, *under, *excess, other.as_ref(), *is_rollback, *clock).into_iter().map(|figure| {
                let class = classes!(figure.is_better.then_some("better"), figure.is_over.then_some("over"));
                // The spaces are for those who copy the numbers, or hear them.
                html! {
                    <div key={figure.label} {class}>
                        <dt><span class="long">{ figure.label }</span><span class="short">{ figure.short_label }</span></dt>
                        <dd>
                            <b>{ figure.value }</b>
                            if let Some(difference) = figure.difference.filter(|_| *shows_difference) {
                                { " " }<span class="difference">{ difference }</span>
                            }
                            if let Some(note) = figure.note { { " " }{ view_note(&note) } }
                        </dd>
                    </div>
                }
            }) }
        </dl>
    }
}

/// `(7 over 19)`; where there is little room, `7 over`.
fn view_note(note: &str) -> Html {
    let (short, rest) = note.rsplit_once(' ').unwrap_or((note, ""));
    html! {
        <span class="note">
            <span class="long">{ "(" }</span>{ short }<span class="long">{ format!(" {rest})") }</span>
        </span>
    }
}
