use yew::{Html, Properties, component, html, use_effect_with};

use crate::dom;
use crate::hooks::use_media;

/// The screens with one column. As in style.css.
pub const ONE_COLUMN: &str = "(max-width: 60rem)";

/// The properties of [`TwoColumns`].
#[derive(PartialEq, Properties)]
pub struct TwoColumnsProps {
    /// What the user sets, on the left.
    pub inputs: Html,
    /// The result, on the right.
    pub result: Html,
    /// What else there is to do, below the result.
    #[prop_or_default]
    pub rest: Html,
}

/// The inputs beside the result. On a narrow screen, the result comes first and the inputs directly below it, for everyone: those
/// who see, use Tab, or listen.
#[component]
pub fn TwoColumns(props: &TwoColumnsProps) -> Html {
    let is_narrow = use_media(ONE_COLUMN);
    // What is moved in the document loses the focus.
    let focused = dom::active_element();
    use_effect_with(is_narrow, move |_| {
        if let Some(focused) = focused.filter(|focused| dom::active_element().as_ref() != Some(focused)) {
            dom::focus(&focused);
        }
    });
    let (inputs, result) = (("inputs", props.inputs.clone()), ("result", props.result.clone()));
    let [first, second] = if is_narrow { [result, inputs] } else { [inputs, result] };
    let columns = [first, second, ("rest", props.rest.clone())];
    html! { <>{ for columns.map(|(key, column)| html! { <key={key}>{ column }</> }) }</> }
}
