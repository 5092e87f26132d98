use yew::{Html, Properties, component, html};

use super::two_columns::ONE_COLUMN;
use crate::hooks::use_media;

/// The properties of [`FormHeading`].
#[derive(PartialEq, Properties)]
pub struct FormHeadingProps {
    /// The text.
    pub children: Html,
}

/// A heading of inputs. In a wide window, it stands before the heading of the page, so its level is below that of the results. In
/// one column, it follows the page's heading, even if the results are not read because of a wrong input.
#[component]
pub fn FormHeading(props: &FormHeadingProps) -> Html {
    let is_one_column = use_media(ONE_COLUMN);
    html! { <h3 aria-level={is_one_column.then_some("2")}>{ props.children.clone() }</h3> }
}
