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
    /// A rollout embedded in another page.
    #[at("/embed/")]
    Embed,
    /// A story embedded in another page.
    #[at("/embed/:name/")]
    EmbeddedStory {
        /// The name of its files.
        name: String,
    },
    /// What the API server and the policy say about manifests.
    #[at("/api-server/")]
    ApiServer,
    /// An address of nothing.
    #[not_found]
    #[at("/404")]
    NotFound,
}

/// The modules of the page. A link from one to the other loads another document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    /// `web/stories`.
    Stories,
    /// `web/sandbox`.
    Sandbox,
}

impl Route {
    /// The module that shows it.
    pub const fn module(&self) -> Module {
        match self {
            Self::Home | Self::Story { .. } | Self::EmbeddedStory { .. } | Self::NotFound => Module::Stories,
            Self::Sandbox | Self::Embed | Self::ApiServer => Module::Sandbox,
        }
    }

    /// Its address, relative to the root of the site.
    pub fn address(&self) -> String {
        format!(".{}", self.to_path())
    }
}
