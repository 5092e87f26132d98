use web_sys::Element;
use yew::{Callback, Event, Html, Properties, TargetCast, component, html, use_effect_with, use_state_eq};

/// The properties of [`Fold`].
#[derive(PartialEq, Properties)]
pub struct FoldProps {
    /// What its inputs are about.
    pub title: Html,
    /// What is set in it, in short.
    pub says: String,
    /// Whether something in it must be seen, such as a problem or what is set: then it opens.
    pub must_be_seen: bool,
    /// Its inputs.
    pub children: Html,
}

/// Inputs that are drawn when the reader asks for them.
#[component]
pub fn Fold(props: &FoldProps) -> Html {
    let FoldProps { title, says, must_be_seen, children } = props;
    let is_open = use_state_eq(|| *must_be_seen);
    // What the user deletes does not close it: the input would lose the focus.
    use_effect_with(*must_be_seen, {
        let is_open = is_open.setter();
        move |must_be_seen| {
            if *must_be_seen {
                is_open.set(true);
            }
        }
    });
    let on_toggle = {
        let is_open = is_open.setter();
        Callback::from(move |event: Event| {
            if let Some(details) = event.target_dyn_into::<Element>() {
                is_open.set(details.has_attribute("open"));
            }
        })
    };
    html! {
        <details class="cluster" open={*is_open} ontoggle={on_toggle}>
            <summary>{ title.clone() }{ " " }<small>{ says }</small></summary>
            if *is_open { { children.clone() } }
        </details>
    }
}
