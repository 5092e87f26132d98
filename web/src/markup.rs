//! What is drawn, as text: one element after the other. Every value is escaped here and nowhere else.

use web_sys::Element;

/// Elements as text.
#[derive(Default)]
pub(crate) struct Markup(pub String);

impl Markup {
    /// An element with its attributes, open.
    pub(crate) fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.0.push('<');
        self.0.push_str(name);
        for (name, value) in attributes {
            self.0.push(' ');
            self.0.push_str(name);
            self.0.push_str("=\"");
            self.text(value);
            self.0.push('"');
        }
        self.0.push('>');
    }

    /// Closes it.
    pub(crate) fn close(&mut self, name: &str) {
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push('>');
    }

    /// An element without anything in it but text.
    pub(crate) fn whole(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.open(name, attributes);
        self.text(text);
        self.close(name);
    }

    /// Text.
    pub(crate) fn text(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '"' => self.0.push_str("&quot;"),
                other => self.0.push(other),
            }
        }
    }
}

/// An element whose content is drawn, and what it is now.
pub(crate) struct Drawn {
    element: Element,
    now: String,
}

impl Drawn {
    /// An element in which nothing is drawn yet.
    pub(crate) const fn new(element: Element) -> Self {
        Self { element, now: String::new() }
    }

    /// Draws what is not there yet.
    pub(crate) fn draw(&mut self, markup: Markup) {
        if self.now != markup.0 {
            self.element.set_inner_html(&markup.0);
            self.now = markup.0;
        }
    }

    /// Writes a text that is not there yet.
    pub(crate) fn write(&mut self, text: String) {
        if self.now != text {
            self.element.set_text_content(Some(&text));
            self.now = text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Markup;

    #[test]
    fn what_is_typed_stays_text() {
        let mut markup = Markup::default();
        markup.whole("text", &[("x", "\"><script>")], "a < b & c");
        assert_eq!(markup.0, "<text x=\"&quot;>&lt;script>\">a &lt; b &amp; c</text>");
    }
}
