use std::rc::Rc;

use changeover_wire::{Explanation, LaneInspection, Mark, Operand, Segment};
use yew::{Callback, Html, Properties, classes, component, html};

use super::details_tables::DetailsTables;
use crate::picture;
use crate::playback::Playback;

/// The properties of [`Why`].
#[derive(PartialEq, Properties)]
pub struct WhyProps {
    /// All lanes.
    pub playback: Rc<Playback>,
    /// What the player says about the lane.
    pub inspection: LaneInspection,
    /// Whether the rule is shown.
    pub is_open: bool,
    /// The user points at a number, or no longer does.
    pub on_highlight: Callback<Option<Mark>>,
    /// The user shows or hides the rule.
    pub on_toggle: Callback<bool>,
}

/// Why the step at the playhead happened: one sentence, and the rule behind it on demand.
#[component]
pub fn Why(props: &WhyProps) -> Html {
    let WhyProps { playback, inspection, is_open, on_highlight, on_toggle } = props;
    let Some(explanation) = &inspection.explanation else {
        return html! { <div class="why"><p>{ "Nothing has happened yet." }</p></div> };
    };
    let toggle = on_toggle.reform({
        let is_open = *is_open;
        move |_: yew::MouseEvent| !is_open
    });
    html! {
        <div class="why">
            <p class="sentence">
                <span class="when">{ playback.clock(explanation.time) }</span>{ " " }
                { view_segments(&explanation.sentence, on_highlight) }{ " " }
                <button type="button" class="link" aria-expanded={is_open.to_string()} onclick={toggle}>
                    { if *is_open { "Hide the rule" } else { "Show the rule" } }
                </button>
            </p>
            if *is_open {
                <div class="rule">
                    { for explanation.formula.iter().map(|line| html! {
                        <p class="formula">{ view_segments(line, on_highlight) }</p>
                    }) }
                    { view_operands(explanation) }
                    { view_source(explanation) }
                    if let Some(last) = &inspection.last_step {
                        <p class="note">{ format!("Then, at {}: {}", playback.clock(last.time), last.sentence) }</p>
                    }
                    <DetailsTables tables={inspection.tables.clone()} />
                </div>
            }
        </div>
    }
}

fn view_segments(segments: &[Segment], on_highlight: &Callback<Option<Mark>>) -> Html {
    let segments = segments.iter().map(|segment| match segment {
        Segment::Text(text) => html! { { text } },
        Segment::Operand(operand) => view_operand(operand, on_highlight),
    });
    segments.collect()
}

/// A number. One that the picture shows lights up there while the user points at it.
fn view_operand(operand: &Operand, on_highlight: &Callback<Option<Mark>>) -> Html {
    let title = format!("{}: {}", operand.name, operand.source);
    let Some(mark) = operand.mark else {
        return html! { <span class="operand" {title}>{ &operand.value }</span> };
    };
    let (on, off) = (on_highlight.clone(), on_highlight.clone());
    let enter = Callback::from(move |_| on.emit(Some(mark)));
    let leave = Callback::from(move |_| off.emit(None));
    let label = format!("{} ({})", operand.value, operand.name);
    html! {
        <span class={classes!("operand", "linked", picture::mark_class(mark))} {title} tabindex="0" role="note"
            aria-label={label} onmouseenter={enter.reform(|_| ())} onmouseleave={leave.reform(|_| ())}
            onfocus={enter.reform(|_| ())} onblur={leave.reform(|_| ())}>{ &operand.value }</span>
    }
}

/// Every number of the formula with where it comes from.
fn view_operands(explanation: &Explanation) -> Html {
    let mut operands: Vec<&Operand> = Vec::new();
    let lines = explanation.formula.iter().chain([&explanation.sentence]);
    for operand in lines.flatten().filter_map(|segment| match segment {
        Segment::Operand(operand) => Some(operand),
        Segment::Text(_) => None,
    }) {
        if !operands.iter().any(|known| known.name == operand.name) {
            operands.push(operand);
        }
    }
    html! {
        <dl class="operands">
            { for operands.into_iter().map(|operand| html! {
                <div>
                    <dt>{ &operand.name }</dt>
                    <dd><b>{ &operand.value }</b>{ " " }<span class="note">{ &operand.source }</span></dd>
                </div>
            }) }
        </dl>
    }
}

fn view_source(explanation: &Explanation) -> Html {
    html! {
        <p class="note">
            { &explanation.actor }
            if let Some(upstream) = &explanation.upstream { { ", " }<code>{ upstream }</code> }
            if let Some(section) = &explanation.section { { format!(", {section}") } }
        </p>
    }
}
