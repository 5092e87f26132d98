use yew::{Html, component, html};

/// Why a reader may believe the page.
#[component]
pub fn ProofLink() -> Html {
    html! {
        <p class="note">
            <a href="proof/">{ "How do you know?" }</a>
            { " We compare these decisions with those of a real Kubernetes control plane." }
        </p>
    }
}
