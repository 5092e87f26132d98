//! A document of `docs` as HTML, for the site.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// Renders a document of the folder `docs`. What it links to in the repository is looked up below `files`, an address without
/// a slash at the end.
pub fn to_html(text: &str, files: &str) -> String {
    let mut events = Vec::new();
    let mut head_start = 0;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = resolved(dest_url, files);
                events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                continue;
            }
            Event::Start(Tag::TableHead) => head_start = events.len(),
            _ => {}
        }
        let ends_head = event == Event::End(TagEnd::TableHead);
        events.push(event);
        // A head without words is nothing but noise to a screen reader.
        let head = events.get(head_start..).unwrap_or_default();
        if ends_head && !head.iter().any(|event| matches!(event, Event::Text(_))) {
            events.truncate(head_start);
        }
    }
    let mut html = String::new();
    html::push_html(&mut html, events.into_iter());
    html
}

/// The address of what a document links to, which may be another file of the repository.
fn resolved<'a>(link: CowStr<'a>, files: &str) -> CowStr<'a> {
    if link.contains("://") {
        return link;
    }
    let address = match link.strip_prefix("../") {
        Some(path) => format!("{files}/{path}"),
        None => format!("{files}/docs/{link}"),
    };
    address.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_into_the_repository() {
        let cases = [
            ("[a](../core/DEVIATIONS.md)", "https://changeover.example/tree/core/DEVIATIONS.md"),
            ("[a](kep-5882.md)", "https://changeover.example/tree/docs/kep-5882.md"),
            ("[a](https://kubernetes.io/)", "https://kubernetes.io/"),
        ];
        for (text, address) in cases {
            let html = to_html(text, "https://changeover.example/tree");
            assert_eq!(html, format!("<p><a href=\"{address}\">a</a></p>\n"));
        }
    }

    #[test]
    fn a_table_keeps_its_head_only_if_it_has_words() {
        let html = to_html("| | |\n|---|---|\n| a | 1 |\n\n| b | c |\n|---|---|\n| d | 2 |", "");
        assert_eq!(html.matches("<th>").count(), 2, "{html}");
        assert_eq!(html.matches("<td>").count(), 4, "{html}");
    }
}
