use yew::{Html, html};

use super::foreign_text::view_text;
use super::list_keys::keyed;

/// Problems beside no input. A screen reader says each when it appears.
pub fn view_problems(texts: &[String]) -> Html {
    let problems = keyed(texts, Clone::clone).into_iter();
    problems.map(|(key, text)| html! { <p key={key} class="problem" role="alert">{ view_text(text) }</p> }).collect()
}
