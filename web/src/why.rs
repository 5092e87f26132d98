//! Why: the step that brought a lane where it is, in the core's words. Each number in it points to the picture.

use changeover_core::reason::{Mark, Operand, OperandValue, Reason, Segment, by_id};
use serde_json::Value;
use yew::Html;

use crate::scale::clock;
use crate::tag::{button, el, text, words};
use crate::wire::{self, get, int};

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

/// A step's reason, as the core tells it.
pub(crate) fn reason(said: &Value) -> Option<Reason> {
    let rule = by_id(wire::text(said, "rule"))?;
    let mut values = Vec::new();
    for value in wire::list(said, "values") {
        values.push(match value.as_str() {
            Some(text) => OperandValue::Text(text.into()),
            None => OperandValue::Int(value.as_i64().unwrap_or(0)),
        });
    }
    Some(Reason { rule, values: values.into() })
}

/// The row that a step is about.
pub(crate) fn about(seen: &Value) -> Option<String> {
    reason(get(seen, "why"))?.value("replicaSet").map(ToString::to_string)
}

/// The term of that number in a lane.
pub(crate) fn term(lane: usize, seen: &Value, number: usize) -> Option<Term> {
    let reason = reason(get(seen, "why"))?;
    let texts = [&reason.rule.sentence].into_iter().chain(reason.rule.formula);
    let segments: Vec<Segment<'_>> = texts.flat_map(|text| reason.segments(text)).collect();
    let mut values = segments.iter().filter_map(|segment| match segment {
        Segment::Value(operand, value) => Some((*operand, *value)),
        Segment::Text(_) => None,
    });
    let (operand, value) = values.nth(number)?;
    Some(Term { lane, said: explained(operand, value), mark: operand.mark })
}

fn explained(operand: &Operand, value: &OperandValue) -> String {
    format!("{} {value}: {}", operand.name, operand.source)
}

/// Draws the panel of a lane; `sheet`: whether it lies over the page, where there is no room beside the lane.
pub(crate) fn view(lane: usize, name: &str, seen: &Value, term: Option<&Term>, sheet: bool) -> Html {
    let class = if sheet { "why sheet" } else { "why" };
    let label = format!("Why: {name}");
    let frame = [("class", class), ("aria-label", &*label), ("tabindex", "0")];
    let said = get(seen, "why");
    let Some(reason) = reason(said) else {
        return el("aside", &frame, vec![words("p", &[("class", "sentence")], "Nothing has happened yet.")]);
    };
    let mut number = 0_usize;
    let mut inside = vec![
        el(
            "p",
            &[("class", "who")],
            vec![
                words("span", &[("class", "time")], &clock(int(said, "time"))),
                words("span", &[], wire::text(said, "actor")),
                button(&format!("sheet {lane}"), "more", "", text("Why?")),
                button("sheet", "icon close", "Close", text("×")),
            ],
        ),
        el(
            "p",
            &[("class", "sentence")],
            pieces(&reason, reason.rule.sentence, reason.rule.formula.is_empty(), &mut number),
        ),
    ];
    if !reason.rule.formula.is_empty() {
        let mut lines = Vec::new();
        for line in reason.rule.formula {
            lines.push(el("p", &[], pieces(&reason, line, true, &mut number)));
        }
        inside.push(el("div", &[("class", "formula")], lines));
    }
    let said = term.filter(|term| term.lane == lane);
    inside.push(match said {
        Some(term) => words("p", &[("class", "source of-term")], &term.said),
        None => source(&reason),
    });
    let more = wire::text(seen, "more");
    if !more.is_empty() {
        inside.push(button(&format!("facts {lane}"), "link", "", text(more)));
    }
    let since = get(seen, "since");
    if let Some(reason) = self::reason(since) {
        let sentence = reason.sentence();
        inside.push(el(
            "p",
            &[("class", "since"), ("title", &sentence)],
            vec![words("span", &[("class", "time")], &clock(int(since, "time"))), text(&sentence)],
        ));
    }
    el("aside", &frame, inside)
}

/// The pieces of a sentence or formula; `focusable` terms can be reached with the keyboard.
fn pieces(reason: &Reason, template: &'static str, focusable: bool, number: &mut usize) -> Vec<Html> {
    let mut pieces = Vec::new();
    for segment in reason.segments(template) {
        match segment {
            Segment::Text(words) => pieces.push(text(words)),
            Segment::Value(operand, value) => {
                let class = if operand.mark.is_some() { "term marked" } else { "term" };
                let place = number.to_string();
                *number = number.saturating_add(1);
                let (name, kind) = if focusable { ("button", "button") } else { ("span", "") };
                let attributes = [("class", class), ("data-term", &*place), ("?type", kind)];
                pieces.push(words(name, &attributes, &value.to_string()));
            }
        }
    }
    pieces
}

/// Where a rule comes from.
fn source(reason: &Reason) -> Html {
    let rule = reason.rule;
    let mut inside = Vec::new();
    if let Some(upstream) = rule.upstream {
        inside.push(words("span", &[("class", "upstream")], upstream));
    }
    if let Some(section) = rule.section {
        inside.push(words("span", &[], section));
        if section.starts_with("KEP-5882") {
            inside.push(words("span", &[("class", "proposed")], "proposed, in no release"));
        }
    }
    el("p", &[("class", "source")], inside)
}
