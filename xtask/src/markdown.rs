//! Renders a document of `docs` as HTML for the site.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html};

/// Renders a document of `docs`. Links to other files of the repository lead to `files`, an address without a trailing
/// slash.
pub fn to_html(text: &str, files: &str) -> String {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).map(|event| match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: resolved(dest_url, files), title, id })
        }
        event => event,
    });
    let mut html = String::new();
    html::push_html(&mut html, events);
    without_empty_heads(&html)
}

/// Removes table heads without text: to a screen reader, they are only noise.
fn without_empty_heads(html: &str) -> String {
    const HEAD: [&str; 2] = ["<thead>", "</thead>"];
    let mut parts = html.split(HEAD[0]);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (head, rest) = part.split_once(HEAD[1]).unwrap_or((part, ""));
        let has_words =
            head.split('<').filter_map(|tag| tag.split_once('>')).any(|(_, words)| !words.trim().is_empty());
        if has_words {
            kept.extend([HEAD[0], head, HEAD[1]]);
        }
        kept.push_str(rest);
    }
    kept
}

/// The address that a link of a document leads to, which may be another file of the repository.
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
