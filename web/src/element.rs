//! Elements for Yew from plain lists: one function for all of them is a fraction of what a macro at each place takes.
//! Nothing listens to a single element; `app` hears of everything, and the attribute `data-do` says what is meant.

use std::rc::Rc;

use yew::virtual_dom::{AttrValue, Key, VNode, VTag};

/// An element with its attributes and children. `key` and, of an input, `value` are what they are to Yew; an attribute
/// that begins with `?` and has an empty value is left out.
pub(crate) fn el(name: &'static str, attributes: &[(&'static str, &str)], children: Vec<VNode>) -> VNode {
    let mut tag = VTag::new(name);
    for (name, value) in attributes {
        let (name, value) = match name.strip_prefix('?') {
            Some(_) if value.is_empty() => continue,
            Some(name) => (name, value),
            None => (*name, value),
        };
        let value: Rc<str> = Rc::from(*value);
        match name {
            "key" => tag.key = Some(Key::from(value)),
            "value" if tag.tag() == "input" => tag.set_value(Some(AttrValue::from(value))),
            _ => tag.add_attribute(name, AttrValue::from(value)),
        }
    }
    tag.add_children(children);
    VNode::from(tag)
}

/// Text.
pub(crate) fn text(text: &str) -> VNode {
    VNode::from(yew::virtual_dom::VText::new(AttrValue::from(Rc::<str>::from(text))))
}

/// An element with nothing in it but text.
pub(crate) fn words(name: &'static str, attributes: &[(&'static str, &str)], words: &str) -> VNode {
    el(name, attributes, vec![text(words)])
}

/// A button that does something.
pub(crate) fn button(does: &str, class: &str, label: &str, inside: VNode) -> VNode {
    let attributes =
        [("type", "button"), ("class", class), ("data-do", does), ("?aria-label", label), ("?title", label)];
    el("button", &attributes, vec![inside])
}

/// A table with a caption.
pub(crate) fn table(title: &str, columns: &[String], rows: Vec<VNode>) -> VNode {
    let head = columns.iter().map(|column| words("th", &[("scope", "col")], column)).collect();
    el(
        "table",
        &[],
        vec![words("caption", &[], title), el("thead", &[], vec![el("tr", &[], head)]), el("tbody", &[], rows)],
    )
}

/// A row of a table; its first cell is its head.
pub(crate) fn row(class: &str, cells: &[String]) -> VNode {
    let cell = |(index, cell): (usize, &String)| {
        if index == 0 { words("th", &[("scope", "row")], cell) } else { words("td", &[], cell) }
    };
    el("tr", &[("?class", class)], cells.iter().enumerate().map(cell).collect())
}
