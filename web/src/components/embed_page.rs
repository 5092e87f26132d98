use std::rc::Rc;

use changeover_wire::Fork;
use yew::{
    Callback, Children, ContextProvider, Html, MouseEvent, Properties, component, html, use_effect_with, use_memo,
    use_node_ref, use_state_eq,
};

use super::beginning::Beginning;
use super::headline::headline;
use super::lanes::Lanes;
use super::player_bar::PlayerBar;
use super::story_player::StoryPlayer;
use crate::dom;
use crate::hooks::{
    LoadedStory, Rollout, StoryLoad, use_element_size, use_manifests, use_rollout, use_sandbox_player, use_story,
};
use crate::player_client::{LaneRequest, PlayerClient};
use crate::rollout::{self, RestoredPosition, RolloutAction};
use crate::sandbox_inputs::SandboxInputs;
use crate::share::{DeepLink, SharedState, SharedStory};
use crate::story_state::StoryVersion;

/// The properties of [`EmbedPage`].
#[derive(PartialEq, Properties)]
pub struct EmbedPageProps {
    /// The story that the address names.
    pub story: Option<String>,
    /// What the address holds.
    pub deep_link: DeepLink,
}

/// A story or a rollout embedded in another page: the picture, how to play it, and a link to all of it.
#[component]
pub fn EmbedPage(props: &EmbedPageProps) -> Html {
    let state = use_state_of(&props.deep_link);
    let named = props.story.clone().map(|name| SharedStory { name, ..SharedStory::default() });
    let content = match state.story.clone().or(named) {
        Some(position) => html! { <EmbeddedStory {position} {state} /> },
        None => html! { <EmbeddedRollout {state} /> },
    };
    html! { <EmbedFrame>{ content }</EmbedFrame> }
}

/// The properties of [`EmbeddedStoryPage`].
#[derive(PartialEq, Properties)]
pub struct EmbeddedStoryPageProps {
    /// The story that the address names.
    pub name: String,
    /// What the address holds.
    pub deep_link: DeepLink,
}

/// The same, where the address names a story.
#[component]
pub fn EmbeddedStoryPage(props: &EmbeddedStoryPageProps) -> Html {
    let state = use_state_of(&props.deep_link);
    let named = SharedStory { name: props.name.clone(), ..SharedStory::default() };
    let position = state.story.clone().unwrap_or(named);
    html! { <EmbedFrame><EmbeddedStory {position} {state} /></EmbedFrame> }
}

/// The state that an address brought. The address of an embedded page stays.
#[yew::hook]
fn use_state_of(deep_link: &DeepLink) -> Rc<SharedState> {
    use_memo(deep_link.clone(), |deep_link| deep_link.take().unwrap_or_default())
}

#[derive(PartialEq, Properties)]
struct EmbedFrameProps {
    children: Children,
}

/// Tells the page around it how high it is.
#[component]
fn EmbedFrame(props: &EmbedFrameProps) -> Html {
    let main = use_node_ref();
    let size = use_element_size(&main);
    use_effect_with(size, |size| dom::post_height(size.height));
    html! { <main id="main" class="embed" ref={main}>{ props.children.clone() }</main> }
}

#[derive(PartialEq, Properties)]
struct EmbeddedRolloutProps {
    state: Rc<SharedState>,
}

/// The rollout of a sandbox.
#[component]
fn EmbeddedRollout(props: &EmbeddedRolloutProps) -> Html {
    let inputs =
        use_memo(props.state.clone(), |state| state.sandbox.clone().map(SandboxInputs::from).unwrap_or_default());
    let manifests = use_manifests(&inputs);
    let player = use_sandbox_player(&inputs);
    let beginning = Beginning::of(manifests.reading.as_deref());
    let scope = inputs.scope(manifests.reading.as_deref());
    let lanes =
        use_memo((inputs, manifests.lanes.clone(), scope), |(inputs, own, scope)| inputs.lanes(own.as_ref(), *scope));
    let Some(player) = player else { return Html::default() };
    html! {
        <ContextProvider<Rc<PlayerClient>> context={player}>
            <EmbeddedLanes lanes={(*lanes).clone()} {beginning} state={props.state.clone()} />
        </ContextProvider<Rc<PlayerClient>>>
    }
}

#[derive(PartialEq, Properties)]
struct EmbeddedLanesProps {
    lanes: Option<Rc<Vec<LaneRequest>>>,
    beginning: Beginning,
    state: Rc<SharedState>,
}

/// Lanes, as they were left.
#[component]
fn EmbeddedLanes(props: &EmbeddedLanesProps) -> Html {
    let rollout = use_rollout(props.lanes.clone(), rollout::StartPosition::Peak);
    use_restored(&rollout, &props.state);
    let state = &rollout.state;
    let title = state
        .playback
        .as_ref()
        .map_or_else(|| String::from("Simulating…"), |it| headline(it, &state.forks, props.beginning));
    html! {
        <>
            <h1>{ title }</h1>
            { view_rollout(&rollout, props.beginning, props.state.by_node) }
            { view_source("sandbox/") }
        </>
    }
}

#[derive(PartialEq, Properties)]
struct EmbeddedStoryProps {
    position: SharedStory,
    state: Rc<SharedState>,
}

/// A story, once its files have arrived.
#[component]
fn EmbeddedStory(props: &EmbeddedStoryProps) -> Html {
    let load = use_story(Some(props.position.name.clone()), 0);
    match &*load {
        StoryLoad::Loading => html! { <p>{ "Loading the story…" }</p> },
        StoryLoad::Loaded(loaded) => html! {
            <StoryPlayer loaded={loaded.clone()}>
                <EmbeddedCaptions loaded={loaded.clone()} position={props.position.clone()} state={props.state.clone()} />
            </StoryPlayer>
        },
        StoryLoad::Unknown(_) => {
            html! { <p class="problem">{ format!("There is no story “{}”.", props.position.name) }</p> }
        }
        StoryLoad::Failed(problem) => html! { <p class="problem" role="alert">{ problem.to_string() }</p> },
    }
}

#[derive(PartialEq, Properties)]
struct EmbeddedCaptionsProps {
    loaded: Rc<LoadedStory>,
    position: SharedStory,
    state: Rc<SharedState>,
}

/// A story, one caption at a time.
#[component]
fn EmbeddedCaptions(props: &EmbeddedCaptionsProps) -> Html {
    let EmbeddedCaptionsProps { loaded, position, state: shared } = props;
    let version = if position.shows_remedy { StoryVersion::Remedy } else { StoryVersion::Original };
    let story = loaded.version(version).clone();
    let lanes = use_memo((loaded.clone(), version), |(loaded, version)| Rc::new(loaded.lane_requests(*version)));
    let rollout = use_rollout(Some((*lanes).clone()), rollout::StartPosition::Keep);
    use_restored(&rollout, shared);
    let last = story.captions.len().saturating_sub(1);
    let caption = use_state_eq(|| usize::try_from(position.caption).unwrap_or(0).min(last));
    let playback = rollout.state.playback.clone();
    // A moment in the address is shown first.
    let is_first = use_state_eq(|| shared.moment.is_some());
    use_effect_with((*caption, playback.as_ref().map(|playback| playback.generation)), {
        let (rollout, story, is_first) = (rollout.clone(), story.clone(), *is_first);
        move |(caption, _)| {
            let moment = playback.and_then(|playback| story.caption_moment(&playback, *caption).ok());
            if let Some(moment) = moment.filter(|_| !is_first && rollout.state.forks.is_empty()) {
                rollout.dispatch(RolloutAction::Explain(moment.time, moment.explain));
            }
        }
    });
    let go_to = {
        let caption = caption.clone();
        move |to: usize| {
            let (caption, is_first) = (caption.clone(), is_first.clone());
            Callback::from(move |_: MouseEvent| {
                is_first.set(false);
                caption.set(to);
            })
        }
    };
    let shown = story.captions.get(*caption);
    let number = caption.saturating_add(1);
    html! {
        <>
            <h1>{ &story.title }</h1>
            { view_rollout(&rollout, Beginning::Change, story.by_node()) }
            <div class="caption-buttons" role="group" aria-label="Story">
                <button type="button" aria-disabled={(*caption == 0).to_string()} onclick={go_to(caption.saturating_sub(1))}>{ "Back" }</button>
                <button type="button" class="primary" aria-disabled={(*caption == last).to_string()} onclick={go_to(number.min(last))}>{ "Next" }</button>
                <span class="position">{ format!("{number} of {}", story.captions.len()) }</span>
            </div>
            <div aria-live="polite">
                if let Some(shown) = shown { <h2>{ &shown.title }</h2><p>{ &shown.text }</p> }
            </div>
            { view_source(&format!("stories/{}/", loaded.name)) }
        </>
    }
}

/// What the user had done, and where the playhead was.
#[yew::hook]
fn use_restored(rollout: &Rollout, state: &Rc<SharedState>) {
    let rollout = rollout.clone();
    use_effect_with(state.clone(), move |state| {
        let forks = state.forks.iter().cloned().map(Fork::from).collect();
        rollout.dispatch(RolloutAction::Restore(forks, RestoredPosition::of(state)));
    });
}

fn view_rollout(rollout: &Rollout, beginning: Beginning, by_node: bool) -> Html {
    html! {
        <>
            <Lanes rollout={rollout.clone()} {beginning} {by_node} />
            if let Some(refusal) = &rollout.state.refusal { <p class="problem" role="alert">{ refusal.problem.to_string() }</p> }
            if let Some(failure) = &rollout.state.failure {
                <p class="problem" role="alert">{ format!("The page stopped: {failure}. Reload it.") }</p>
            }
            <PlayerBar rollout={rollout.clone()} />
        </>
    }
}

/// The link to the page that has all of it.
fn view_source(path: &str) -> Html {
    html! {
        <p class="note">
            <a href={format!("{path}{}", dom::fragment())} target="_blank" rel="noopener">{ "Open in Changeover" }</a>
            { ": change the settings, and see why each step happens." }
        </p>
    }
}
