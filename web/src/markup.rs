//! What is drawn, as text: one element after the other. Every value is escaped here and nowhere else.

use web_sys::Element;

use crate::linear_scale::n;

/// Elements as text.
#[derive(Default)]
pub(crate) struct Markup(pub String);

impl Markup {
    /// Begins an element of that class; its attributes follow.
    pub(crate) fn begin(&mut self, name: &str, class: &str) -> &mut Self {
        self.0.push('<');
        self.0.push_str(name);
        if class.is_empty() { self } else { self.with("class", class) }
    }

    /// An attribute.
    pub(crate) fn with(&mut self, name: &str, value: &str) -> &mut Self {
        self.0.push(' ');
        self.0.push_str(name);
        self.0.push_str("=\"");
        self.text(value);
        self.0.push('"');
        self
    }

    /// Attributes that are lengths.
    pub(crate) fn at(&mut self, lengths: &[(&str, f64)]) -> &mut Self {
        for (name, value) in lengths {
            self.with(name, &n(*value));
        }
        self
    }

    /// The attributes are over; elements inside of it follow.
    pub(crate) fn inside(&mut self) {
        self.0.push('>');
    }

    /// Closes an element whose inside was begun.
    pub(crate) fn close(&mut self, name: &str) {
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push('>');
    }

    /// Ends an element with nothing in it but text.
    pub(crate) fn end(&mut self, name: &str, text: &str) {
        self.inside();
        self.text(text);
        self.close(name);
    }

    /// An element of a class with nothing in it but text.
    pub(crate) fn whole(&mut self, name: &str, class: &str, text: &str) {
        self.begin(name, class).end(name, text);
    }

    /// A path.
    pub(crate) fn path(&mut self, class: &str, d: &str) {
        self.begin("path", class).with("d", d).end("path", "");
    }

    /// A group of a class, open.
    pub(crate) fn group(&mut self, class: &str) {
        self.begin("g", class).inside();
    }

    /// A text that stands there.
    pub(crate) fn words(&mut self, class: &str, [x, y]: [f64; 2], anchor: &str, words: &str) {
        self.begin("text", class).at(&[("x", x), ("y", y)]);
        if !anchor.is_empty() {
            self.with("text-anchor", anchor);
        }
        self.end("text", words);
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
        markup.begin("text", "").with("x", "\"><script>").end("text", "a < b & c");
        markup.begin("rect", "a").at(&[("x", 1.25), ("y", -3.0)]).end("rect", "");
        assert_eq!(
            markup.0,
            "<text x=\"&quot;>&lt;script>\">a &lt; b &amp; c</text><rect class=\"a\" x=\"1.3\" y=\"-3\"></rect>"
        );
    }
}
