use std::cell::Cell;
use std::rc::Rc;

use changeover_wire::{Problem, WorkloadKind, to_yaml};
use gloo_timers::callback::Timeout;
use web_sys::{Element, HtmlSelectElement, KeyboardEvent, PointerEvent};
use yew::{
    Callback, Event, Html, MouseEvent, NodeRef, Properties, TargetCast, classes, component, html, use_effect_with,
    use_memo, use_mut_ref, use_node_ref, use_state, use_state_eq,
};
use yew_router::components::Link;
use yew_router::hooks::use_navigator;

use super::headline::{HOW_TO_READ, headline, spoken_result};
use super::lanes::Lanes;
use super::list_keys::keyed;
use super::moments_table::MomentsTables;
use super::player_bar::{MORE_ID, PlayerBar, focus_what_if_button};
use super::proof_link::ProofLink;
use super::share_menu::ShareMenu;
use super::step_explanation::StepExplanation;
use super::story_captions::{CURRENT_CAPTION_ID, CaptionFigures, StoryCaptions};
use super::story_player::StoryPlayer;
use super::two_columns::ONE_COLUMN;
use super::what_if::{AppliedForks, WhatIf};
use crate::dom;
use crate::hooks::{
    AddressContent, Direction, ElementSize, LoadedStory, Rollout, Shortcut, StoryLoad, StorySession, use_debounced,
    use_element_size, use_lasting, use_media, use_shared_address, use_shortcuts, use_story, use_story_session,
    use_window_height,
};
use crate::job_settings::summary_of_lanes;
use crate::number::px;
use crate::playback::Playback;
use crate::player_client::LaneRequest;
use crate::rollout::RolloutAction;
use crate::route::Route;
use crate::sandbox_inputs::SandboxInputs;
use crate::settings::{Field, Settings, SettingsOrigin, deleted_pods_in_words, scenario_deployment};
use crate::share::{DeepLink, Shareable, SharedState, SharedStory, Shown};
use crate::story::{Caption, Story, StoryEntry};
use crate::story_state::{Announced, StoryAction, StoryVersion};
use crate::story_text::{DraggedNumbers, Figure};

/// The properties of [`StoryPage`].
#[derive(PartialEq, Properties)]
pub struct StoryPageProps {
    /// The name of the story; none: the first one.
    pub name: Option<String>,
    /// Whether it is the first page that the user sees: the focus stays at its top.
    pub is_first_page: bool,
    /// Whether shortcuts of a single character are on.
    pub character_shortcuts: bool,
    /// What the address or a file brings.
    pub deep_link: DeepLink,
    /// The user opens a file with a state.
    pub on_open: Callback<SharedState>,
    /// The user asks for help, or closes it.
    pub on_help: Callback<bool>,
    /// The user takes the settings of the story to the sandbox.
    pub on_open_in_sandbox: Callback<SandboxInputs>,
}

/// A story, once its files have arrived.
#[component]
pub fn StoryPage(props: &StoryPageProps) -> Html {
    let attempt = use_state(|| 0_u32);
    let load = use_story(props.name.clone(), *attempt);
    let is_first_load = use_mut_ref(|| props.is_first_page);
    let comes_from_menu = use_memo((), |()| Cell::new(false));
    use_effect_with((*load).clone(), move |load| {
        if !*is_first_load.borrow() {
            dom::restore_focus();
        }
        if *load != StoryLoad::Loading {
            is_first_load.replace(false);
        }
    });
    let again = {
        let attempt = attempt.clone();
        Callback::from(move |_: MouseEvent| attempt.set(attempt.wrapping_add(1)))
    };
    match &*load {
        StoryLoad::Loading => {
            html! { <main id="main" class="loading" tabindex="-1"><p>{ "Loading the story…" }</p></main> }
        }
        StoryLoad::Loaded(loaded) => html! {
            <StoryPlayer loaded={loaded.clone()}>
                <LoadedStoryPage key={format!("{} {}", loaded.name, props.deep_link.number)} loaded={loaded.clone()} {comes_from_menu}
                    is_first_page={props.is_first_page} deep_link={props.deep_link.clone()} on_open={props.on_open.clone()}
                    character_shortcuts={props.character_shortcuts} on_help={props.on_help.clone()}
                    on_open_in_sandbox={props.on_open_in_sandbox.clone()} />
            </StoryPlayer>
        },
        StoryLoad::Unknown(entries) => html! {
            <main id="main" class="loading" tabindex="-1">
                <h1>{ "There is no such story" }</h1>
                { view_story_links(entries) }
            </main>
        },
        StoryLoad::Failed(problem) => html! {
            <main id="main" class="loading" tabindex="-1">
                <h1>{ "The story could not be loaded" }</h1>
                <p class="problem" role="alert">{ problem.to_string() }</p>
                <button type="button" onclick={again}>{ "Try again" }</button>
            </main>
        },
    }
}

#[derive(PartialEq, Properties)]
struct LoadedStoryPageProps {
    loaded: Rc<LoadedStory>,
    /// Whether the user has just chosen it in the menu of all stories.
    comes_from_menu: Rc<Cell<bool>>,
    is_first_page: bool,
    deep_link: DeepLink,
    on_open: Callback<SharedState>,
    character_shortcuts: bool,
    on_help: Callback<bool>,
    on_open_in_sandbox: Callback<SandboxInputs>,
}

/// A story: its captions scroll past the picture and move its playhead.
#[component]
fn LoadedStoryPage(props: &LoadedStoryPageProps) -> Html {
    let LoadedStoryPageProps { loaded, is_first_page, character_shortcuts, on_help, on_open_in_sandbox, .. } = props;
    let (captions, picture) = (use_node_ref(), use_node_ref());
    let restored = use_memo((), |()| {
        let is_here = |state: &SharedState| state.story.as_ref().is_some_and(|story| story.name == loaded.name);
        props.deep_link.take().filter(is_here)
    });
    let session = use_story_session(loaded, &captions, &picture, (*restored).as_ref());
    let content = session.settled(&loaded.name).map(AddressContent::from);
    let chapter = Some(0).filter(|_| loaded.story.chapter_count() > 1);
    let beginning = SharedStory { name: loaded.name.clone(), chapter, ..SharedStory::default() };
    use_shared_address(content.clone(), None, SharedState { story: Some(beginning), ..SharedState::default() });
    // After what the reader did, the story's numbers are no longer those of the picture.
    let shown = &session.rollout.state;
    let changed = shown.playback.as_ref().filter(|_| shown.done_forks() > 0);
    let changed = changed.map(|playback| headline(playback, &shown.forks));
    let is_changed = changed.is_some();
    let document_title = changed.clone().unwrap_or_else(|| loaded.story.title.clone());
    let title = changed.unwrap_or_else(|| session.story.headline().to_owned());
    use_effect_with(document_title, |title| dom::set_title(&format!("{title} · Changeover")));
    let comes_from_menu = use_memo((), |()| props.comes_from_menu.take());
    use_effect_with((*is_first_page, *comes_from_menu), |(is_first_page, comes_from_menu)| {
        if *comes_from_menu || !is_first_page {
            dom::focus_by_id(if *comes_from_menu { MENU_ID } else { dom::TITLE_ID });
            dom::scroll_to_top();
        }
    });
    // In the menu, a screen reader says only its label.
    let arrival = if *comes_from_menu { loaded.story.title.clone() } else { String::new() };
    let arrival = use_debounced(arrival, ANNOUNCEMENT_DELAY);
    let on_what_if = {
        let session = session.clone();
        Callback::from(move |opens: bool| {
            match opens {
                // The smaller cases that a story begins with have no button for it.
                true if session.is_at_beginning() => {}
                true => session.dispatch(StoryAction::OpenWhatIf(true)),
                false => session.dispatch(StoryAction::Close),
            }
        })
    };
    use_shortcuts(*character_shortcuts, on_what_if, on_help.clone(), {
        let session = session.clone();
        Callback::from(move |shortcut: Shortcut| match shortcut {
            Shortcut::PlayPause => session.play_or_pause(),
            Shortcut::Next | Shortcut::NextCaption => session.go_to_next(),
            Shortcut::Previous | Shortcut::PreviousCaption => session.go_to_previous(),
            Shortcut::NextWrite => session.step(Direction::Forth),
            Shortcut::PreviousWrite => session.step(Direction::Back),
            shortcut => shortcut.control(&session.rollout),
        })
    });

    let bar = use_node_ref();
    let bar_size = use_element_size(&bar);
    let window_height = use_window_height();
    // There, the picture and the caption share the screen, and the inputs stand below.
    let is_narrow = use_media(ONE_COLUMN);
    let pinned_height = pinned_height(bar_size, window_height);
    let StorySession { state, rollout, story, .. } = &session;
    let lanes = session.lanes.clone();
    let settings = use_memo(lanes.clone(), |lanes| summary(lanes));
    let is_unpinned = use_state_eq(|| false);
    let is_player_open = state.is_player_open;
    // The size of the bar is that of the text, too. Lanes that are there at once are drawn after the browser has measured their
    // space, which changes the size of the picture.
    let picture_size = use_element_size(&picture);
    let generation = shown.playback.as_ref().map(|playback| playback.generation);
    use_effect_with((bar_size, picture_size, window_height, generation), {
        let (picture, is_unpinned) = (picture.clone(), is_unpinned.setter());
        move |(_, _, window_height, _)| {
            let picture = picture.cast::<Element>();
            let sizes = picture.map(|picture| f64::from(picture.scroll_height())).zip(*window_height);
            if let Some((height, window_height)) = sizes {
                is_unpinned.set(height > MAX_PICTURE * window_height);
            }
        }
    });
    // The player may appear below the window, and take the focus with it when it goes away.
    use_effect_with(is_player_open, {
        let bar = bar.clone();
        move |is_open| {
            let Some(bar) = bar.cast::<Element>() else { return };
            if *is_open {
                dom::reveal_end(&bar);
                return;
            }
            let focused = dom::active_element();
            let player = bar.query_selector(".player").ok().flatten();
            if player.is_some_and(|player| player.contains(focused.as_deref())) {
                dom::focus_by_id(MORE_ID);
            }
            dom::reveal_focus_in(&bar);
        }
    });
    // A caption is about the headings and the answers at the top of the block, unless the reader is somewhere else in it.
    use_effect_with(state.caption, {
        let (picture, bar) = (picture.clone(), bar.clone());
        move |_| {
            let has_focus = |root: &NodeRef| {
                let active = dom::active_element();
                root.cast::<Element>().is_some_and(|root| root.contains(active.as_deref()))
            };
            let is_elsewhere = has_focus(&picture) && !has_focus(&bar);
            if let Some(picture) = picture.cast::<Element>().filter(|_| !is_elsewhere) {
                picture.set_scroll_top(0);
            }
        }
    });
    // The button that shows another version goes away, and its caption begins.
    let last_version = use_mut_ref(|| state.version);
    use_effect_with(state.version, move |version| {
        if last_version.replace(*version) != *version {
            dom::focus_by_id(CURRENT_CAPTION_ID);
        }
    });
    let playback = rollout.state.playback.clone();
    let has_forks = !rollout.state.forks.is_empty();
    let shows_remedy = state.version == StoryVersion::Remedy;
    let on_caption = session.callback(StorySession::go_to);
    let on_what_if = session.callback(|session, ()| {
        session.dispatch(StoryAction::OpenWhatIf(!session.state.is_what_if_open));
    });
    let on_play = session.callback(|session, ()| session.play_or_pause());
    let on_more = session.callback(|session, _: MouseEvent| {
        session.dispatch(StoryAction::OpenPlayer(!session.state.is_player_open));
    });
    let on_menu = rollout.callback(|()| RolloutAction::Pause);
    let on_number = session.callback(|session, (number, value)| {
        session.dispatch(StoryAction::Drag { chapter: session.chapter(), number, value });
    });
    let on_remedy = session.callback({
        let loaded = loaded.clone();
        move |session, shown| {
            session.show_version(if shown { StoryVersion::Remedy } else { StoryVersion::Original }, &loaded);
        }
    });
    let on_choose = {
        let comes_from_menu = props.comes_from_menu.clone();
        Callback::from(move |()| comes_from_menu.set(true))
    };
    let back_to_story = rollout.callback(|_: MouseEvent| {
        // The button goes away.
        focus_what_if_button();
        RolloutAction::ClearForks
    });
    let has_changed = state.announced == Some(Announced::Rollout) && !rollout.state.is_stale;
    let result = playback.as_deref().filter(|_| has_changed).map(|playback| {
        if is_changed {
            spoken_result(&title, playback)
        } else {
            String::from("This is what happened, without your changes.")
        }
    });
    // A screen reader says it once the lanes have been played again.
    let result = use_debounced(result.unwrap_or_default(), ANNOUNCEMENT_DELAY);
    let announcement = match state.announced {
        // The user changed the rollout, so the caption doesn't match the picture. The step is announced instead.
        Some(Announced::Caption(_)) if is_changed => String::new(),
        Some(Announced::Caption(caption)) => {
            let figures = CaptionFigures::new(story, playback.as_deref(), caption, state.dragged);
            story.captions().nth(caption).map(|caption| spoken_caption(caption, &figures)).unwrap_or_default()
        }
        Some(Announced::Rollout) => result,
        None => arrival,
    };
    let times = playback.as_ref().map(|playback| story.caption_times(playback)).unwrap_or_default();
    let refused = rollout.state.refusal.as_ref().map(|refusal| refusal.problem.clone());
    let is_told = |playback: &&Playback| {
        state.dragged == DraggedNumbers::default() && playback.lanes.iter().all(|lane| lane.played.forks.is_empty())
    };
    let as_told = playback.as_deref().filter(is_told);
    // A player may have to be loaded first.
    let takes_time = use_lasting(rollout.state.is_busy() && rollout.state.failure.is_none(), NOTICEABLE);
    let is_beginning = session.is_at_beginning();
    let hides_limit = !story.shows_limit(state.caption);
    let shows_counted = story.captions().nth(state.caption).is_some_and(|it| it.text.has(Figure::Counted));
    let problem = refused.or_else(|| pin_problem(story, loaded, as_told?));
    html! {
        <main id="main" tabindex="-1"
            class={classes!("story", is_beginning.then_some("beginning"), hides_limit.then_some("without-limit"),
                shows_counted.then_some("shows-counted"))}>
            <header class="story-header">
                <StorySelect entries={loaded.entries.clone()} name={loaded.name.clone()} comes_from_menu={*comes_from_menu}
                    {on_choose} />
                <h1 id={dom::TITLE_ID} tabindex="-1">{ &title }</h1>
                if !story.is_question() {
                    <p class="summary">{ &loaded.story.summary }</p>
                }
                // What would have helped may begin with something else.
                if !story.is_question() || shows_remedy {
                    <p class="how-to-read">{ how_to_read(story, state.caption, is_changed) }</p>
                }
                <ShareMenu on_open={props.on_open.clone()} {on_menu}
                    shareable={content.zip(playback.clone()).map(|(content, playback)| shareable(loaded, &lanes, &title, &settings, content, playback))} />
            </header>
            <div class="stage">
            <div class={classes!("pinned", is_unpinned.then_some("unpinned"), takes_time.then_some("busy"))} ref={picture}
                aria-busy={takes_time.to_string()}
                style={format!("--bar-height:{}px", px(pinned_height.unwrap_or_default()))}>
                <Lanes rollout={rollout.clone()} by_node={loaded.story.by_node} first_picture={loaded.first_picture.clone()} />
                if !is_narrow { { view_settings(&settings) } }
                if let Some(problem) = problem { <p class="problem" role="alert">{ problem.to_string() }</p> }
                if let Some(failure) = &rollout.state.failure {
                    <p class="problem" role="alert">{ format!("The page stopped: {failure}. Reload it.") }</p>
                }
                <AppliedForks rollout={rollout.clone()} />
                if has_forks {
                    <p><button type="button" onclick={back_to_story}>{ "Back to what happened" }</button></p>
                }
                if state.is_what_if_open { <WhatIf rollout={rollout.clone()} on_close={on_what_if.clone()} /> }
                <div ref={bar} class={classes!("bar", state.is_player_open.then_some("open"), pinned_height.is_none().then_some("high"))}>
                    <CaptionButtons is_playing={rollout.state.is_playing} {on_play} current={state.caption} previous={session.previous_caption()}
                        next={session.next_caption()} count={story.captions().count()} on_caption={on_caption.clone()} />
                    <button type="button" class="link more" id={MORE_ID} aria-expanded={state.is_player_open.to_string()} onclick={on_more}>
                        { if state.is_player_open { "Less" } else { "More" } }
                    </button>
                    <PlayerBar rollout={rollout.clone()} is_of_story={true} is_what_if_open={state.is_what_if_open} {on_what_if} />
                </div>
                <p class="visually-hidden" role="status">{ announcement }</p>
            </div>
            </div>
            <StoryCaptions story={story.clone()} rollout={rollout.clone()} dragged={state.dragged} {on_number} {times} current={state.caption}
                remedy={loaded.story.helps.clone().filter(|_| !shows_remedy)} root={captions} {on_caption}
                {on_remedy} {shows_remedy} {is_changed} why={view_why(rollout)} />
            { view_about(loaded, playback, is_narrow.then_some(settings.as_str()), &lanes, on_open_in_sandbox) }
        </main>
    }
}

/// The milliseconds after which a result is announced.
const ANNOUNCEMENT_DELAY: u32 = 1000;

/// The milliseconds after which an earlier picture looks like one.
const NOTICEABLE: u32 = 100;

fn spoken_caption(caption: &Caption, figures: &CaptionFigures<'_>) -> String {
    format!("{}. {}", caption.title, caption.text.with_numbers(|meaning| figures.number(meaning)))
}

/// Above the captions, the picture stays if it takes at most this share of the window, as in style.css.
const MAX_PICTURE: f64 = 0.85;

/// The bar stays at the bottom of the picture if it takes at most this share of the window.
const MAX_BAR: f64 = 1.0 / 3.0;

/// The height of a bar that stays; none if it would cover too much of the picture, as with large text.
fn pinned_height(ElementSize { height, .. }: ElementSize, window_height: Option<f64>) -> Option<f64> {
    window_height.is_none_or(|window_height| height <= MAX_BAR * window_height).then_some(height)
}

/// How to read the picture, and what happens at its time 0:00. `is_changed`: the reader did something, which may come first.
fn how_to_read(story: &Story, caption: usize, is_changed: bool) -> String {
    let change = story.chapter(caption).and_then(|chapter| chapter.change.as_ref()).filter(|_| !is_changed);
    change.map_or_else(|| String::from(HOW_TO_READ), |change| format!("{HOW_TO_READ} 0:00: {change}."))
}

/// The settings of the Deployments, Jobs or CronJobs in a story's lanes, in a line; empty without one.
fn summary(lanes: &[LaneRequest]) -> String {
    let Some((first, others)) = lanes.split_first() else { return String::new() };
    let settings_of = |lane: &LaneRequest| {
        let scenario = lane.scenario()?;
        let mut settings = Settings::of_scenario(scenario)?;
        // The initial number is the sandbox's, not the story's.
        if scenario.get("nodes").is_none() {
            settings.set_text(Field::Nodes, String::new());
        }
        Some(settings)
    };
    let Some(settings) = settings_of(first) else { return summary_of_lanes(lanes) };
    let other = others.first().and_then(|other| Some((&other.info.name, settings_of(other)?)));
    let own = match other {
        Some((name, other)) => settings.summary_beside(name, &other),
        None => settings.summary(SettingsOrigin::Settings),
    };
    let deleted = first.scenario().and_then(|scenario| deleted_pods_in_words(scenario, &settings));
    [Some(own), deleted].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// What the story assumes, in a line.
fn view_settings(settings: &str) -> Html {
    html! { <p class="note given">{ settings.to_owned() }</p> }
}

/// What can be shared of a story.
fn shareable(
    loaded: &LoadedStory,
    lanes: &[LaneRequest],
    title: &str,
    settings: &str,
    content: AddressContent,
    playback: Rc<Playback>,
) -> Shareable {
    let deployment = lanes.first().and_then(LaneRequest::scenario).and_then(scenario_deployment);
    Shareable {
        title: title.to_owned(),
        inputs: settings.to_owned(),
        file_name: loaded.name.clone(),
        whole: content.whole,
        state: content.shared,
        manifests: deployment.map(|deployment| to_yaml([deployment]).into()),
        shown: Shown::Current(playback),
    }
}

/// Why the step at the playhead happened, for below a caption.
fn view_why(rollout: &Rollout) -> Html {
    let state = &rollout.state;
    let lane = state.explain.map_or(0, |step| step.lane);
    let inspection = state.inspection.as_ref().and_then(|inspection| inspection.lanes.get(lane)).cloned();
    let Some((playback, inspection)) = state.playback.clone().zip(inspection) else { return Html::default() };
    html! { <StepExplanation rollout={rollout.clone()} {playback} {inspection} {lane} /> }
}

/// A caption that fits no step is a mistake in the story, as long as the reader does nothing else.
fn pin_problem(story: &Story, loaded: &LoadedStory, playback: &Playback) -> Option<Problem> {
    let problem = (0..story.captions().count()).find_map(|caption| story.caption_moment(playback, caption).err())?;
    Some(Problem::new(format!("{}.story.json {}", loaded.name, problem.path), problem.message))
}

fn view_story_links(entries: &[StoryEntry]) -> Html {
    html! {
        <ul class="stories">
            { for entries.iter().map(|entry| html! {
                <li key={entry.name.clone()}>
                    <Link<Route> to={Route::Story { name: entry.name.clone() }}>{ &entry.label }</Link<Route>>
                </li>
            }) }
        </ul>
    }
}

/// What stands below a story. `settings`: what it assumes, unless that stands elsewhere. `lanes`: those that are shown.
fn view_about(
    loaded: &LoadedStory,
    playback: Option<Rc<Playback>>,
    settings: Option<&str>,
    lanes: &[LaneRequest],
    on_open_in_sandbox: &Callback<SandboxInputs>,
) -> Html {
    let position = loaded.entries.iter().position(|entry| entry.name == loaded.name).unwrap_or(0);
    // After the last story comes the first.
    let next = loaded.entries.get(position.saturating_add(1)).or_else(|| loaded.entries.first());
    let inputs = SandboxInputs::of_lanes(lanes);
    let note = match inputs.as_ref().map(|inputs| inputs.workload) {
        Some(WorkloadKind::Job) => {
            "The sandbox starts with this Job and its first eviction or preemption. For anything else, use “What if…” there."
        }
        Some(WorkloadKind::CronJob) => {
            "The sandbox starts with this CronJob. To suspend and resume it there, use “What if…”."
        }
        Some(WorkloadKind::StatefulSet | WorkloadKind::DaemonSet) => {
            "The sandbox starts with its YAML and updates the image. For anything else, use “What if…” there."
        }
        _ => {
            "The sandbox starts with these settings and updates the image. To scale, drain or undo there, use “What if…”."
        }
    };
    html! {
        <footer class="about">
            if let Some(settings) = settings { { view_settings(settings) } }
            if let Some(playback) = playback { <MomentsTables {playback} /> }
            if !loaded.story.source.is_empty() {
                <p class="source">
                    { if loaded.story.source.len() > 1 { "Sources: " } else { "Source: " } }
                    // In a fragment of its own: keys count only where all children have one.
                    <>{ for keyed(&loaded.story.source, |source| source.href.clone()).into_iter().map(|(key, source)| html! {
                        <key={key}><a href={source.href.clone()} rel="noreferrer">{ &source.text }</a>{ " " }</>
                    }) }</>
                </p>
            }
            if let Some(inputs) = inputs {
                <p>
                    <button type="button" aria-describedby="in-the-sandbox"
                        onclick={on_open_in_sandbox.reform(move |_: MouseEvent| inputs.clone())}>{ "Open in the sandbox" }</button>
                </p>
                <p class="note" id="in-the-sandbox">{ note }</p>
            }
            if let Some(next) = next {
                <p>
                    { "Next story: " }
                    <Link<Route> to={Route::Story { name: next.name.clone() }}>{ &next.label }</Link<Route>>
                </p>
            }
            <p><a href="stories/">{ "All stories" }</a></p>
            <ProofLink />
        </footer>
    }
}

#[derive(PartialEq, Properties)]
struct StorySelectProps {
    entries: Vec<StoryEntry>,
    name: String,
    /// Whether this story was chosen in the menu, too.
    comes_from_menu: bool,
    /// The user chooses another story.
    on_choose: Callback<()>,
}

/// The id of the menu of all stories.
const MENU_ID: &str = "story";

/// How many milliseconds the choice of a key stays before its story opens: arrow keys choose each story on the way.
const KEY_PAUSE: u32 = 700;

/// The menu of all stories.
#[component]
fn StorySelect(props: &StorySelectProps) -> Html {
    let StorySelectProps { entries, name, comes_from_menu, on_choose } = props;
    let navigator = use_navigator();
    let position = entries.iter().position(|entry| entry.name == *name).map_or(0, |index| index.saturating_add(1));
    let (pause, opening) = (use_mut_ref(|| 0_u32), use_mut_ref(|| None::<Timeout>));
    let on_key = {
        let pause = pause.clone();
        Callback::from(move |_: KeyboardEvent| *pause.borrow_mut() = KEY_PAUSE)
    };
    let on_press = {
        let pause = pause.clone();
        Callback::from(move |_: PointerEvent| *pause.borrow_mut() = 0)
    };
    let on_select = {
        let (shown, comes_from_menu, on_choose) = (name.clone(), *comes_from_menu, on_choose.clone());
        Callback::from(move |event: Event| {
            let selected = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value());
            let Some((name, navigator)) = selected.zip(navigator.clone()) else { return };
            let (is_other, on_choose) = (name != shown, on_choose.clone());
            let open = move || {
                on_choose.emit(());
                // Together, the stories that are chosen one after the other are one entry of the history.
                if comes_from_menu {
                    navigator.replace(&Route::Story { name });
                } else {
                    navigator.push(&Route::Story { name });
                }
            };
            // This drops an earlier choice.
            *opening.borrow_mut() = is_other.then(|| Timeout::new(*pause.borrow(), open));
        })
    };
    html! {
        <p class="which">
            <label for={MENU_ID}>{ format!("Story {position} of {}", entries.len()) }</label>{ " " }
            <select id={MENU_ID} title="Opens the story that you choose" onchange={on_select} onkeydown={on_key} onpointerdown={on_press}>
                { for entries.iter().map(|entry| html! {
                    <option key={entry.name.clone()} value={entry.name.clone()} selected={entry.name == *name}>{ &entry.label }</option>
                }) }
            </select>
        </p>
    }
}

#[derive(PartialEq, Properties)]
struct CaptionButtonsProps {
    is_playing: bool,
    current: usize,
    previous: Option<usize>,
    next: Option<usize>,
    count: usize,
    on_play: Callback<()>,
    on_caption: Callback<usize>,
}

/// The buttons that go through the captions.
#[component]
fn CaptionButtons(props: &CaptionButtonsProps) -> Html {
    let CaptionButtonsProps { is_playing, current, previous, next, count, on_play, on_caption } = props;
    let number = current.saturating_add(1);
    let has_others = *count > 1;
    let go_to = |caption: Option<usize>| {
        let caption = caption.unwrap_or(*current);
        on_caption.reform(move |_: MouseEvent| caption)
    };
    html! {
        <div class="caption-buttons" role="group" aria-label="Story">
            if has_others {
                <button type="button" title="Previous caption (←)" aria-disabled={previous.is_none().to_string()}
                    onclick={go_to(*previous)}>{ "Back" }</button>
            }
            <button type="button" class="play" title="Play or pause (Space)" onclick={on_play.reform(|_: MouseEvent| ())}>
                { if *is_playing { "Pause" } else { "Play" } }
            </button>
            if has_others {
                <button type="button" class="primary" title="Next caption (→)" aria-disabled={next.is_none().to_string()}
                    onclick={go_to(*next)}>{ "Next" }</button>
                <span class="position">{ format!("{number} of {count}") }</span>
            }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_stays_while_the_window_is_three_times_as_high() {
        let bar = ElementSize { width: 400.0, height: 90.0 };
        assert_eq!(pinned_height(bar, Some(800.0)), Some(90.0));
        assert_eq!(pinned_height(bar, Some(271.0)), Some(90.0));
        assert_eq!(pinned_height(bar, Some(269.0)), None);
        assert_eq!(pinned_height(bar, None), Some(90.0));
    }
}
