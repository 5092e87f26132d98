use std::rc::Rc;

use yew::{ContextProvider, Html, Properties, component, html, use_context};

use crate::hooks::LoadedStory;
use crate::player_client::PlayerClient;
use crate::workbench::Workbench;

/// The properties of [`StoryPlayer`].
#[derive(PartialEq, Properties)]
pub struct StoryPlayerProps {
    /// The story.
    pub loaded: Rc<LoadedStory>,
    /// What shows its lanes.
    pub children: Html,
}

/// Lets the workbench play what the small player can't.
#[component]
pub fn StoryPlayer(props: &StoryPlayerProps) -> Html {
    let StoryPlayerProps { loaded, children } = props;
    let workbench = use_context::<Rc<Workbench>>();
    match workbench.filter(|_| loaded.needs_workbench()).map(|workbench| workbench.player()) {
        Some(player) => html! {
            <ContextProvider<Rc<PlayerClient>> context={player}>{ children.clone() }</ContextProvider<Rc<PlayerClient>>>
        },
        None => children.clone(),
    }
}
