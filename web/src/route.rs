//! The addresses of the page.

use yew_router::Routable;

/// What the page shows.
#[derive(Clone, Debug, PartialEq, Eq, Routable)]
pub enum Route {
    /// The first story.
    #[at("/")]
    Home,
    /// A story.
    #[at("/stories/:name/")]
    Story {
        /// The name of its files.
        name: String,
    },
    /// The sandbox.
    #[at("/sandbox/")]
    Sandbox,
    /// A story or a rollout in the page of somebody else.
    #[at("/embed/")]
    Embed,
    /// What the API server and the policy say about manifests.
    #[at("/api-server/")]
    ApiServer,
    /// An address of nothing.
    #[not_found]
    #[at("/404")]
    NotFound,
}
