//! Names, images and messages of other people on the page.

use changeover_core::foreign_text::{Part, parts};
use yew::{Html, html};

/// A text in which words that turn their surroundings are isolated.
pub fn view_text(text: &str) -> Html {
    let view = |part: Part<'_>| match part {
        Part::Own(text) => html! { { text } },
        Part::Turning(text) => html! { <bdi>{ text }</bdi> },
    };
    parts(text).into_iter().map(view).collect()
}
