use yew::{Html, component, html};

/// Why a reader may believe the page.
#[component]
pub fn ProofLink() -> Html {
    html! {
        <p class="note">
            <a href="proof/">{ "How do you know?" }</a>
            { " These decisions are compared with those of a real Kubernetes control plane." }
        </p>
    }
}
