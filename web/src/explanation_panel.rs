//! The explanation panel of a lane: why the explained step happened, in the core's words. Each number refers to a part of the
//! graphics.

use changeover_wire::{field, format_clock, i64_field, list_field, str_at, str_field};
use serde_json::Value;
use yew::Html;

use crate::element::{button, element, text_element, text_node};

/// A number or name in a sentence or formula.
pub(crate) struct Term {
    /// Its name, value and source.
    pub description: String,
    /// The part of the graphics that it refers to; empty if there is none.
    pub mark: String,
}

/// The term with a number, counted through sentence and formula.
pub(crate) fn nth_term(inspection: &Value, number: usize) -> Option<Term> {
    let explanation = field(inspection, "explanation");
    let lines = list_field(explanation, "formula").iter().flat_map(|line| line.as_array().into_iter().flatten());
    let segments = list_field(explanation, "sentence").iter().chain(lines);
    let operand = segments.filter_map(Value::as_array).nth(number)?;
    let [name, value, source, mark] = [0, 1, 2, 3].map(|part| str_at(operand, part));
    Some(Term { description: format!("{name} {value}: {source}"), mark: String::from(mark) })
}

/// The sentence of an explanation as text.
pub(crate) fn sentence_text(explanation: &Value) -> String {
    let segments = list_field(explanation, "sentence").iter();
    segments
        .map(|segment| segment.as_array().map_or(segment.as_str().unwrap_or_default(), |value| str_at(value, 1)))
        .collect()
}

/// The panel of a lane. `term`: the active term. `sheet`: whether the panel covers the page, on narrow screens.
pub(crate) fn view(lane: usize, name: &str, inspection: &Value, term: Option<&Term>, sheet: bool) -> Html {
    let class = if sheet { "why sheet" } else { "why" };
    let label = format!("Why: {name}");
    let attributes = [("class", class), ("aria-label", &*label), ("tabindex", "0")];
    let explanation = field(inspection, "explanation");
    if explanation.is_null() {
        return element(
            "aside",
            &attributes,
            vec![text_element("p", &[("class", "sentence")], "Nothing has happened yet.")],
        );
    }
    let formula = list_field(explanation, "formula");
    let mut number = 0_usize;
    let mut children = vec![
        element(
            "p",
            &[("class", "who")],
            vec![
                text_element("span", &[("class", "time")], &format_clock(i64_field(explanation, "time"))),
                text_element("span", &[], str_field(explanation, "actor")),
                button(&format!("sheet {lane}"), "more", "", text_node("Why?")),
                button("sheet", "icon close", "Close", text_node("×")),
            ],
        ),
        element(
            "p",
            &[("class", "sentence")],
            view_segments(list_field(explanation, "sentence"), formula.is_empty(), &mut number),
        ),
    ];
    if !formula.is_empty() {
        let mut lines = Vec::new();
        for line in formula.iter().filter_map(Value::as_array) {
            lines.push(element("p", &[], view_segments(line, true, &mut number)));
        }
        children.push(element("div", &[("class", "formula")], lines));
    }
    children.push(match term {
        Some(term) => text_element("p", &[("class", "source of-term")], &term.description),
        None => view_source(explanation),
    });
    let details_label = str_field(inspection, "detailsLabel");
    if !details_label.is_empty() {
        children.push(button(&format!("facts {lane}"), "link", "", text_node(details_label)));
    }
    let last_step = field(inspection, "lastStep");
    let sentence = str_field(last_step, "sentence");
    if !sentence.is_empty() {
        children.push(element(
            "p",
            &[("class", "since"), ("title", sentence)],
            vec![
                text_element("span", &[("class", "time")], &format_clock(i64_field(last_step, "time"))),
                text_node(sentence),
            ],
        ));
    }
    element("aside", &attributes, children)
}

/// The elements of a sentence or of a line of a formula. `focusable` terms can be reached with the keyboard.
fn view_segments(segments: &[Value], focusable: bool, number: &mut usize) -> Vec<Html> {
    let mut elements = Vec::new();
    for segment in segments {
        let Some(value) = segment.as_array() else {
            elements.push(text_node(segment.as_str().unwrap_or_default()));
            continue;
        };
        let class = if str_at(value, 3).is_empty() { "term" } else { "term marked" };
        let term_number = number.to_string();
        *number = number.saturating_add(1);
        let (name, button_type) = if focusable { ("button", "button") } else { ("span", "") };
        let attributes = [("class", class), ("data-term", &*term_number), ("?type", button_type)];
        elements.push(text_element(name, &attributes, str_at(value, 1)));
    }
    elements
}

/// The source of a rule.
fn view_source(explanation: &Value) -> Html {
    let [upstream, section] = ["upstream", "section"].map(|name| str_field(explanation, name));
    let mut children = Vec::new();
    if !upstream.is_empty() {
        children.push(text_element("span", &[("class", "upstream")], upstream));
    }
    if !section.is_empty() {
        children.push(text_element("span", &[], section));
        if section.starts_with("KEP-5882") {
            children.push(text_element("span", &[("class", "proposed")], "proposed, in no release"));
        }
    }
    element("p", &[("class", "source")], children)
}
