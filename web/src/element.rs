//! Builds Yew elements from plain lists; one function takes far fewer bytes than a macro at each use. Elements have no listeners:
//! `app::event_router` handles every event, and the attribute `data-do` names the command.

use std::rc::Rc;

use yew::virtual_dom::{AttrValue, Key, VNode, VTag};

/// An element with its attributes and children. `key` and the `value` of an input are handed to Yew as such. An attribute
/// whose name begins with `?` is left out if its value is empty.
pub(crate) fn element(name: &'static str, attributes: &[(&'static str, &str)], children: Vec<VNode>) -> VNode {
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

/// A text node.
pub(crate) fn text_node(text: &str) -> VNode {
    VNode::from(yew::virtual_dom::VText::new(AttrValue::from(Rc::<str>::from(text))))
}

/// An element that contains only text.
pub(crate) fn text_element(name: &'static str, attributes: &[(&'static str, &str)], content: &str) -> VNode {
    element(name, attributes, vec![text_node(content)])
}

/// A button with a command.
pub(crate) fn button(command: &str, class: &str, label: &str, content: VNode) -> VNode {
    let attributes =
        [("type", "button"), ("class", class), ("data-do", command), ("?aria-label", label), ("?title", label)];
    element("button", &attributes, vec![content])
}

/// A paragraph with a text and a button.
pub(crate) fn text_with_button(content: &str, command: &str, button_label: &str) -> VNode {
    let button = button(command, "plain", "", text_node(button_label));
    // An empty text would still indent the button.
    element(
        "p",
        &[("class", "offer")],
        if content.is_empty() { vec![button] } else { vec![text_node(content), button] },
    )
}

/// A table with a caption.
pub(crate) fn table(title: &str, columns: &[String], rows: Vec<VNode>) -> VNode {
    let head = columns.iter().map(|column| text_element("th", &[("scope", "col")], column)).collect();
    element(
        "table",
        &[],
        vec![
            text_element("caption", &[], title),
            element("thead", &[], vec![element("tr", &[], head)]),
            element("tbody", &[], rows),
        ],
    )
}

/// A row of a table. The first cell is its header.
pub(crate) fn table_row(class: &str, cells: &[String]) -> VNode {
    let cell = |(index, cell): (usize, &String)| {
        if index == 0 { text_element("th", &[("scope", "row")], cell) } else { text_element("td", &[], cell) }
    };
    element("tr", &[("?class", class)], cells.iter().enumerate().map(cell).collect())
}
