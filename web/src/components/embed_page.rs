use std::rc::Rc;

use changeover_wire::Fork;
use yew::{
    Callback, ContextProvider, Html, MouseEvent, Properties, component, html, use_effect_with, use_memo, use_state_eq,
};

use super::headline::headline;
use super::lanes::Lanes;
use super::player_bar::PlayerBar;
use super::story_player::StoryPlayer;
use crate::dom;
use crate::hooks::{
    LoadedStory, Rollout, Shortcut, StoryLoad, use_manifests, use_rollout, use_sandbox_player, use_shortcuts, use_story,
};
use crate::player_client::{LaneRequest, PlayerClient};
use crate::rollout::{self, RestoredPosition, RolloutAction};
use crate::sandbox_inputs::SandboxInputs;
use crate::share::{DeepLink, SharedState, SharedStory};
use crate::story_state::StoryVersion;
use crate::story_text::DraggedNumbers;

/// The properties of [`EmbeddedRolloutPage`].
#[derive(PartialEq, Properties)]
pub struct EmbeddedRolloutPageProps {
    /// What the address holds.
    pub deep_link: DeepLink,
}

/// A rollout of the sandbox embedded in another page: the picture, how to play it, and a link to all of it. An address with a
/// story doesn't lead here (`www/static/embed.js`).
#[component]
pub fn EmbeddedRolloutPage(props: &EmbeddedRolloutPageProps) -> Html {
    let state = use_state_of(&props.deep_link);
    html! { <main id="main" class="embed"><EmbeddedRollout {state} /></main> }
}

/// The properties of [`EmbeddedStoryPage`].
#[derive(PartialEq, Properties)]
pub struct EmbeddedStoryPageProps {
    /// The story that the address names.
    pub name: String,
    /// What the address holds.
    pub deep_link: DeepLink,
}

/// A story embedded in another page, one caption at a time. Its document has the same layout (`www/pages/embedded_story.html`).
#[component]
pub fn EmbeddedStoryPage(props: &EmbeddedStoryPageProps) -> Html {
    let state = use_state_of(&props.deep_link);
    let named = SharedStory { name: props.name.clone(), chapter: Some(0), ..SharedStory::default() };
    let position = state.story.clone().unwrap_or(named);
    html! { <main id="main" class="embed"><EmbeddedStory {position} {state} /></main> }
}

/// The state that an address brought. The address of an embedded page stays.
#[yew::hook]
fn use_state_of(deep_link: &DeepLink) -> Rc<SharedState> {
    use_memo(deep_link.clone(), |deep_link| deep_link.take().unwrap_or_default())
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
    let scope = inputs.scope(manifests.reading.as_deref());
    let lanes =
        use_memo((inputs, manifests.lanes.clone(), scope), |(inputs, own, scope)| inputs.lanes(own.as_ref(), *scope));
    let Some(player) = player else { return html! { <RolloutIntro /> } };
    html! {
        <ContextProvider<Rc<PlayerClient>> context={player}>
            <EmbeddedLanes lanes={(*lanes).clone()} state={props.state.clone()} />
        </ContextProvider<Rc<PlayerClient>>>
    }
}

#[derive(PartialEq, Properties)]
struct EmbeddedLanesProps {
    lanes: Option<Rc<Vec<LaneRequest>>>,
    state: Rc<SharedState>,
}

/// Lanes, as they were left.
#[component]
fn EmbeddedLanes(props: &EmbeddedLanesProps) -> Html {
    let rollout = use_rollout(props.lanes.clone(), rollout::StartPosition::Opening);
    use_restored(&rollout, &props.state);
    use_player_shortcuts(&rollout);
    let state = &rollout.state;
    let title = state.playback.as_ref().map(|playback| headline(playback, &state.forks));
    // Until there is something to show, the text of the document stays.
    if title.is_none() && state.refusal.is_none() && state.failure.is_none() {
        return html! { <RolloutIntro /> };
    }
    html! {
        <>
            <h1>{ title.unwrap_or_else(|| String::from(INTRO_TITLE)) }</h1>
            <Lanes rollout={rollout.clone()} by_node={props.state.by_node} />
            { view_problems(&rollout) }
            <PlayerBar rollout={rollout.clone()} />
            { view_source("sandbox/") }
        </>
    }
}

const INTRO_TITLE: &str = "What Kubernetes does, pod by pod";

/// What the document says of a rollout (`www/pages/embed.html`), until it has been simulated.
#[component]
fn RolloutIntro() -> Html {
    html! {
        <>
            <h1>{ INTRO_TITLE }</h1>
            <p class="intro">
                { "The picture shows how many pods run at each moment, old and new ones, how many of them are available, how long it takes until everything is complete, and why each step happens. Your browser simulates the cluster with the same decisions as the Kubernetes controllers. The picture appears in a moment." }
            </p>
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
    let first = story.caption_of(position);
    let caption = use_state_eq(|| first);
    let chapter = story.place(*caption).0;
    let lanes = use_memo((loaded.clone(), version, chapter), |(loaded, version, chapter)| {
        Rc::new(loaded.lane_requests(*version, *chapter, DraggedNumbers::default()))
    });
    let rollout = use_rollout(Some((*lanes).clone()), rollout::StartPosition::Keep);
    use_restored(&rollout, shared);
    use_player_shortcuts(&rollout);
    let count = story.captions().count();
    let last = count.saturating_sub(1);
    let playback = rollout.state.playback.clone();
    // A moment in the address is shown first.
    let is_first = use_state_eq(|| shared.moment.is_some());
    use_effect_with((*caption, playback.as_ref().map(|playback| playback.generation)), {
        let (rollout, story, is_first) = (rollout.clone(), story.clone(), *is_first);
        move |(caption, _)| {
            let moment = playback.and_then(|playback| story.caption_moment(&playback, *caption).ok()?);
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
    let shown = story.captions().nth(*caption);
    let title = story.headline().to_owned();
    let number = caption.saturating_add(1);
    html! {
        <>
            <h1>{ title }</h1>
            <Lanes rollout={rollout.clone()} by_node={story.by_node} first_picture={loaded.first_picture.clone()} />
            { view_problems(&rollout) }
            <div class="caption-buttons" role="group" aria-label="Story">
                <button type="button" aria-disabled={(*caption == 0).to_string()} onclick={go_to(caption.saturating_sub(1))}>{ "Back" }</button>
                <button type="button" class="primary" aria-disabled={(*caption == last).to_string()} onclick={go_to(number.min(last))}>{ "Next" }</button>
                <span class="position">{ format!("{number} of {count}") }</span>
            </div>
            <div aria-live="polite">
                if let Some(shown) = shown { <h2>{ &shown.title }</h2><p>{ shown.text.to_string() }</p> }
            </div>
            // The document has no room for it: below the caption, it moves nothing else.
            <PlayerBar rollout={rollout.clone()} />
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

/// The keys that the buttons of the player name. An embedded page has no "What if…" and no help.
#[yew::hook]
fn use_player_shortcuts(rollout: &Rollout) {
    let characters = use_memo((), |()| dom::character_shortcuts());
    use_shortcuts(*characters, Callback::noop(), Callback::noop(), {
        let rollout = rollout.clone();
        Callback::from(move |shortcut: Shortcut| shortcut.control(&rollout))
    });
}

/// Why the rollout is not the one that was asked for.
fn view_problems(rollout: &Rollout) -> Html {
    html! {
        <>
            if let Some(refusal) = &rollout.state.refusal { <p class="problem" role="alert">{ refusal.problem.to_string() }</p> }
            if let Some(failure) = &rollout.state.failure {
                <p class="problem" role="alert">{ format!("The page stopped: {failure}. Reload it.") }</p>
            }
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
