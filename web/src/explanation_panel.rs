//! Why: the step that brought a lane where it is, in the core's words. Each number in it points to the picture.

use changeover_wire::{field, format_clock, i64_field, list_field, str_at, str_field as said_text};
use serde_json::Value;
use yew::Html;

use crate::element::{button, element, text_element, text_node};

/// A term of a sentence or formula.
pub(crate) struct Term {
    /// Its name, value and source.
    pub description: String,
    /// Where on the picture it is; empty where it is not there.
    pub mark: String,
}

/// The term of that number, if there is one.
pub(crate) fn nth_term(seen: &Value, number: usize) -> Option<Term> {
    let why = field(seen, "why");
    let lines = list_field(why, "formula").iter().flat_map(|line| line.as_array().into_iter().flatten());
    let pieces = list_field(why, "sentence").iter().chain(lines);
    let value = pieces.filter_map(Value::as_array).nth(number)?;
    let [name, said, source, mark] = [0, 1, 2, 3].map(|part| str_at(value, part));
    Some(Term { description: format!("{name} {said}: {source}"), mark: String::from(mark) })
}

/// A sentence that was said, as a text.
pub(crate) fn sentence_text(said: &Value) -> String {
    let pieces = list_field(said, "sentence").iter();
    pieces.map(|piece| piece.as_array().map_or(piece.as_str().unwrap_or_default(), |value| str_at(value, 1))).collect()
}

/// Draws the panel of a lane; `term`: the one that is pointed at; `sheet`: whether it lies over the page, where there is no room beside the lane.
pub(crate) fn view(lane: usize, name: &str, seen: &Value, term: Option<&Term>, sheet: bool) -> Html {
    let class = if sheet { "why sheet" } else { "why" };
    let label = format!("Why: {name}");
    let frame = [("class", class), ("aria-label", &*label), ("tabindex", "0")];
    let said = field(seen, "why");
    if said.is_null() {
        return element(
            "aside",
            &frame,
            vec![text_element("p", &[("class", "sentence")], "Nothing has happened yet.")],
        );
    }
    let formula = list_field(said, "formula");
    let mut number = 0_usize;
    let mut inside = vec![
        element(
            "p",
            &[("class", "who")],
            vec![
                text_element("span", &[("class", "time")], &format_clock(i64_field(said, "time"))),
                text_element("span", &[], said_text(said, "actor")),
                button(&format!("sheet {lane}"), "more", "", text_node("Why?")),
                button("sheet", "icon close", "Close", text_node("×")),
            ],
        ),
        element(
            "p",
            &[("class", "sentence")],
            view_pieces(list_field(said, "sentence"), formula.is_empty(), &mut number),
        ),
    ];
    if !formula.is_empty() {
        let mut lines = Vec::new();
        for line in formula.iter().filter_map(Value::as_array) {
            lines.push(element("p", &[], view_pieces(line, true, &mut number)));
        }
        inside.push(element("div", &[("class", "formula")], lines));
    }
    inside.push(match term {
        Some(term) => text_element("p", &[("class", "source of-term")], &term.description),
        None => view_source(said),
    });
    let more = said_text(seen, "more");
    if !more.is_empty() {
        inside.push(button(&format!("facts {lane}"), "link", "", text_node(more)));
    }
    let since = field(seen, "since");
    let sentence = said_text(since, "sentence");
    if !sentence.is_empty() {
        inside.push(element(
            "p",
            &[("class", "since"), ("title", sentence)],
            vec![
                text_element("span", &[("class", "time")], &format_clock(i64_field(since, "time"))),
                text_node(sentence),
            ],
        ));
    }
    element("aside", &frame, inside)
}

/// The pieces of a sentence or of a formula's line; `focusable` terms can be reached with the keyboard.
fn view_pieces(said: &[Value], focusable: bool, number: &mut usize) -> Vec<Html> {
    let mut pieces = Vec::new();
    for piece in said {
        let Some(value) = piece.as_array() else {
            pieces.push(text_node(piece.as_str().unwrap_or_default()));
            continue;
        };
        let class = if str_at(value, 3).is_empty() { "term" } else { "term marked" };
        let place = number.to_string();
        *number = number.saturating_add(1);
        let (name, kind) = if focusable { ("button", "button") } else { ("span", "") };
        let attributes = [("class", class), ("data-term", &*place), ("?type", kind)];
        pieces.push(text_element(name, &attributes, str_at(value, 1)));
    }
    pieces
}

/// Where a rule comes from.
fn view_source(said: &Value) -> Html {
    let [upstream, section] = ["upstream", "section"].map(|name| said_text(said, name));
    let mut inside = Vec::new();
    if !upstream.is_empty() {
        inside.push(text_element("span", &[("class", "upstream")], upstream));
    }
    if !section.is_empty() {
        inside.push(text_element("span", &[], section));
        if section.starts_with("KEP-5882") {
            inside.push(text_element("span", &[("class", "proposed")], "proposed, in no release"));
        }
    }
    element("p", &[("class", "source")], inside)
}
