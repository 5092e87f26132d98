//! Writes HTML and SVG as text, one element after the other. It is the only place that escapes values.

use web_sys::Element;

use crate::linear_scale::format_px;

/// HTML or SVG text.
#[derive(Default)]
pub(crate) struct Markup(pub String);

impl Markup {
    /// Opens an element with a class. Its attributes follow.
    pub(crate) fn open(&mut self, name: &str, class: &str) -> &mut Self {
        self.0.push('<');
        self.0.push_str(name);
        if class.is_empty() { self } else { self.attribute("class", class) }
    }

    /// Adds an attribute.
    pub(crate) fn attribute(&mut self, name: &str, value: &str) -> &mut Self {
        self.0.push(' ');
        self.0.push_str(name);
        self.0.push_str("=\"");
        self.push_text(value);
        self.0.push('"');
        self
    }

    /// Adds attributes that are lengths.
    pub(crate) fn lengths(&mut self, lengths: &[(&str, f64)]) -> &mut Self {
        for (name, value) in lengths {
            self.attribute(name, &format_px(*value));
        }
        self
    }

    /// Ends the attributes. Child elements follow.
    pub(crate) fn children(&mut self) {
        self.0.push('>');
    }

    /// Closes an element with children.
    pub(crate) fn close(&mut self, name: &str) {
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push('>');
    }

    /// Ends an element that contains only text.
    pub(crate) fn text_and_close(&mut self, name: &str, text: &str) {
        self.children();
        self.push_text(text);
        self.close(name);
    }

    /// Adds an element with a class that contains only text.
    pub(crate) fn text_element(&mut self, name: &str, class: &str, text: &str) {
        self.open(name, class).text_and_close(name, text);
    }

    /// Adds a path.
    pub(crate) fn path(&mut self, class: &str, d: &str) {
        self.open("path", class).attribute("d", d).text_and_close("path", "");
    }

    /// Opens a group with a class.
    pub(crate) fn open_group(&mut self, class: &str) {
        self.open("g", class).children();
    }

    /// Adds an SVG text at a position.
    pub(crate) fn svg_text(&mut self, class: &str, [x, y]: [f64; 2], anchor: &str, text: &str) {
        self.open("text", class).lengths(&[("x", x), ("y", y)]);
        if !anchor.is_empty() {
            self.attribute("text-anchor", anchor);
        }
        self.text_and_close("text", text);
    }

    /// Adds text.
    pub(crate) fn push_text(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '"' => self.0.push_str("&quot;"),
                other => self.0.push(other),
            }
        }
    }
}

/// An element with a copy of its content, so that it is updated only when the content changes.
pub(crate) struct CachedElement {
    element: Element,
    content: String,
}

impl CachedElement {
    /// An element that is still empty.
    pub(crate) const fn new(element: Element) -> Self {
        Self { element, content: String::new() }
    }

    /// Sets the markup, if it is different.
    pub(crate) fn set_markup(&mut self, markup: Markup) {
        if self.content != markup.0 {
            self.element.set_inner_html(&markup.0);
            self.content = markup.0;
        }
    }

    /// Sets the text, if it is different.
    pub(crate) fn set_text(&mut self, text: String) {
        if self.content != text {
            self.element.set_text_content(Some(&text));
            self.content = text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Markup;

    #[test]
    fn values_are_escaped() {
        let mut markup = Markup::default();
        markup.open("text", "").attribute("x", "\"><script>").text_and_close("text", "a < b & c");
        markup.open("rect", "a").lengths(&[("x", 1.25), ("y", -3.0)]).text_and_close("rect", "");
        assert_eq!(
            markup.0,
            "<text x=\"&quot;>&lt;script>\">a &lt; b &amp; c</text><rect class=\"a\" x=\"1.3\" y=\"-3\"></rect>"
        );
    }
}
