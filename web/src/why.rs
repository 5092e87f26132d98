//! Why: the step that brought a lane where it is, in the core's words. Each number in it points to the picture.

use changeover_core::object::Time;
use changeover_core::reason::{Mark, Operand, OperandValue, Reason, Segment};
use changeover_core::timeline::Step;
use yew::prelude::*;

use crate::app::Message;
use crate::icons;
use crate::scale::clock;
use crate::words::actor_name;

/// A term that somebody points at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    /// In which lane.
    pub lane: usize,
    /// Its name, value and source.
    pub said: String,
    /// Where on the picture it is.
    pub mark: Option<Mark>,
}

/// What the panel shows.
pub(crate) struct Why<'a> {
    /// Which lane.
    pub lane: usize,
    /// The step that is explained.
    pub step: Option<&'a Step>,
    /// A later step that changes nothing about it.
    pub since: Option<&'a Step>,
    /// The start of virtual time.
    pub start: Time,
    /// The term that is pointed at, in whichever lane.
    pub term: Option<&'a Term>,
    /// Whether it is shown as a sheet, where there is no room beside the lane.
    pub sheet: bool,
}

/// Draws the panel.
pub(crate) fn view(why: &Why<'_>, send: &Callback<Message>) -> Html {
    let lane = why.lane;
    let Some(step) = why.step else { return html! { <aside class="why" aria-label="Why" /> } };
    let reason = &step.reason;
    let term = why.term.filter(|term| term.lane == lane);
    let open = send.reform(move |_: MouseEvent| Message::Sheet(Some(lane)));
    let close = send.reform(|_: MouseEvent| Message::Sheet(None));
    html! {
        <aside class={classes!("why", why.sheet.then_some("sheet"))} aria-label="Why">
            <p class="who">
                <span class="time">{clock(step.time.since(why.start))}</span>
                <span>{actor_name(step.actor)}</span>
                <button type="button" class="more" onclick={open}>{"Why?"}</button>
                <button type="button" class="icon close" aria-label="Close" onclick={close}>{icons::cross()}</button>
            </p>
            <p class="sentence">{for reason.segments(reason.rule.sentence).iter().map(|piece| segment(piece, lane, reason.rule.formula.is_empty(), send))}</p>
            if !reason.rule.formula.is_empty() {
                <div class="formula">
                    {for reason.rule.formula.iter().map(|line| html! {
                        <p>{for reason.segments(line).iter().map(|piece| segment(piece, lane, true, send))}</p>
                    })}
                </div>
            }
            <p class={classes!("source", term.is_some().then_some("of-term"))}>
                if let Some(term) = term { {term.said.clone()} } else { {source(reason)} }
            </p>
            if let Some(since) = why.since {
                <p class="since" title={since.reason.sentence()}>
                    <span class="time">{clock(since.time.since(why.start))}</span>
                    {since.reason.sentence()}
                </p>
            }
        </aside>
    }
}

/// A piece of a sentence or formula; `focusable` terms can be reached with the keyboard.
fn segment(piece: &Segment<'_>, lane: usize, focusable: bool, send: &Callback<Message>) -> Html {
    match piece {
        Segment::Text(text) => Html::from(*text),
        Segment::Value(operand, value) => {
            let term = Term { lane, said: said(operand, value), mark: operand.mark };
            let point = send.reform(move |()| Message::Point(Some(term.clone())));
            let leave = send.reform(|()| Message::Point(None));
            let class = classes!("term", operand.mark.is_some().then_some("marked"));
            let text = value.to_string();
            let (over, out) = (point.reform(|_: MouseEvent| ()), leave.reform(|_: MouseEvent| ()));
            if focusable {
                let (focus, blur) = (point.reform(|_: FocusEvent| ()), leave.reform(|_: FocusEvent| ()));
                html! { <button type="button" {class} onmouseenter={over} onmouseleave={out} onfocus={focus} onblur={blur}>{text}</button> }
            } else {
                html! { <span {class} onmouseenter={over} onmouseleave={out}>{text}</span> }
            }
        }
    }
}

fn said(operand: &Operand, value: &OperandValue) -> String {
    format!("{} {value}: {}", operand.name, operand.source)
}

/// Where a rule comes from.
fn source(reason: &Reason) -> Html {
    let rule = reason.rule;
    html! { <>
        if let Some(upstream) = rule.upstream {
            <span class="upstream">{upstream}</span>
        }
        if let Some(section) = rule.section {
            <span>{section}</span>
        }
        if rule.section.is_some_and(|section| section.starts_with("KEP-5882")) {
            <span class="proposed">{"proposed, in no release"}</span>
        }
    </> }
}
