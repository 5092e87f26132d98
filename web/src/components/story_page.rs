use std::rc::Rc;

use changeover_wire::Problem;
use gloo_timers::callback::Timeout;
use web_sys::HtmlSelectElement;
use yew::{
    Callback, Event, Html, MouseEvent, Properties, TargetCast, classes, component, html, use_callback, use_effect_with,
    use_memo, use_mut_ref, use_node_ref, use_state, use_state_eq,
};
use yew_router::components::Link;
use yew_router::hooks::use_navigator;

use super::lanes::Lanes;
use super::moments_table::MomentsTables;
use super::player_bar::PlayerBar;
use super::sandbox_page::playback_action;
use super::story_captions::StoryCaptions;
use super::what_if::{AppliedForks, WhatIf};
use super::why::Why;
use crate::dom;
use crate::hooks::{
    LoadedStory, Shortcut, StoryLoad, StoryScroll, use_reader_input, use_rollout, use_shortcuts, use_story,
    use_story_scroll,
};
use crate::number::{count_to_f64, to_f64, to_i64};
use crate::playback::Playback;
use crate::rollout::{Arrival, PlayUntil, RolloutAction};
use crate::route::Route;
use crate::settings::Settings;
use crate::story::{Story, StoryEntry};

/// The properties of [`StoryPage`].
#[derive(PartialEq, Properties)]
pub struct StoryPageProps {
    /// The name of the story; none: the first one.
    pub name: Option<String>,
    /// Whether it is the first page that the user sees: the story plays by itself.
    pub is_first_page: bool,
    /// Whether shortcuts of a single character are on.
    pub character_shortcuts: bool,
    /// The user asks for help, or closes it.
    pub on_help: Callback<bool>,
    /// The user takes the settings of the story to the sandbox.
    pub on_open_in_sandbox: Callback<Settings>,
}

/// A story, once its files have arrived.
#[component]
pub fn StoryPage(props: &StoryPageProps) -> Html {
    let attempt = use_state(|| 0_u32);
    let load = use_story(props.name.clone(), *attempt);
    let is_first_load = use_mut_ref(|| props.is_first_page);
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
            <LoadedStoryPage key={loaded.name.clone()} loaded={loaded.clone()} is_first_page={props.is_first_page}
                character_shortcuts={props.character_shortcuts} on_help={props.on_help.clone()}
                on_open_in_sandbox={props.on_open_in_sandbox.clone()} />
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
    is_first_page: bool,
    character_shortcuts: bool,
    on_help: Callback<bool>,
    on_open_in_sandbox: Callback<Settings>,
}

/// A story: its captions scroll past the picture and move its playhead.
#[component]
fn LoadedStoryPage(props: &LoadedStoryPageProps) -> Html {
    let LoadedStoryPageProps { loaded, is_first_page, character_shortcuts, on_help, on_open_in_sandbox } = props;
    let shows_remedy = use_state_eq(|| false);
    let story = if *shows_remedy { loaded.remedy.clone() } else { None }.unwrap_or_else(|| loaded.story.clone());
    let lanes = use_memo((loaded.clone(), *shows_remedy), |_| Rc::new(loaded.lane_requests(&story)));
    let rollout = use_rollout(Some((*lanes).clone()), Arrival::Keep);
    let current = use_state_eq(|| 0_usize);
    // The caption that is being played to, while the story plays by itself.
    let playing = use_state_eq(|| *is_first_page && !dom::prefers_reduced_motion());
    // Nobody has asked for it to play.
    let plays_unasked = use_state_eq(|| *playing);
    let what_if = use_state_eq(|| false);
    let more = use_state_eq(|| false);
    // What a screen reader says when the reader goes to a caption.
    let announcement = use_state_eq(String::new);
    let (captions, picture) = (use_node_ref(), use_node_ref());
    let title = format!("{} · Changeover", loaded.story.title);
    use_effect_with(title, |title| dom::set_title(title));
    use_effect_with(*is_first_page, |is_first_page| {
        if !is_first_page {
            dom::focus_by_id("story");
            dom::scroll_to_top();
        }
    });

    let state = rollout.state.clone();
    let generation = state.playback.as_ref().map(|playback| playback.generation);
    let has_forks = !state.forks.is_empty();
    let show_caption = use_callback((rollout.clone(), story.clone()), |caption: usize, (rollout, story)| {
        let moment = rollout.state.playback.as_ref().map(|playback| story.caption_moment(playback, caption));
        if let Some(Ok(moment)) = moment {
            rollout.dispatch(RolloutAction::Explain(moment.time, moment.explain));
        }
    });
    let on_scroll = use_callback(
        (rollout.clone(), story.clone(), show_caption.clone(), current.setter(), playing.setter(), has_forks),
        |scroll: StoryScroll, (rollout, story, show_caption, current, playing, has_forks)| {
            if *has_forks {
                return;
            }
            playing.set(false);
            current.set(scroll.caption);
            match rollout.state.playback.as_ref().and_then(|playback| time_between(story, playback, scroll)) {
                Some(time) => rollout.dispatch(RolloutAction::SeekTime(time)),
                None => show_caption.emit(scroll.caption),
            }
        },
    );
    let scroll_to = use_story_scroll(&captions, &picture, on_scroll);
    let go_to = {
        let (current, playing, show_caption, scroll_to) =
            (current.clone(), playing.clone(), show_caption.clone(), scroll_to.clone());
        let (story, announcement) = (story.clone(), announcement.clone());
        Callback::from(move |caption: usize| {
            let shown = story.captions.get(caption);
            announcement.set(shown.map(|it| format!("{}. {}", it.title, it.text)).unwrap_or_default());
            playing.set(false);
            current.set(caption);
            scroll_to.emit(caption);
            show_caption.emit(caption);
        })
    };

    // New lanes begin at the caption.
    use_effect_with(generation, {
        let (show_caption, current) = (show_caption.clone(), *current);
        move |generation| {
            if generation.is_some() && !has_forks {
                show_caption.emit(current);
            }
        }
    });

    // The captions of the remedy replace those of the story, or the other way round.
    let is_first_render = use_mut_ref(|| true);
    use_effect_with(*shows_remedy, {
        let (scroll_to, current) = (scroll_to.clone(), *current);
        move |_| {
            if !is_first_render.replace(false) {
                scroll_to.emit(current);
            }
        }
    });

    // It never pulls the page away from somebody who has begun to read or to act.
    use_reader_input(*playing && *plays_unasked, PLAY_BUTTON, {
        let (rollout, playing) = (rollout.clone(), playing.clone());
        Callback::from(move |()| {
            rollout.dispatch(RolloutAction::Pause);
            playing.set(false);
        })
    });

    // While the story plays by itself, each caption stays until it can be read.
    let is_waiting = *playing && generation.is_some() && state.playing.is_none();
    use_effect_with((is_waiting, *current, state.playhead.time), {
        let is_unasked = *plays_unasked;
        let (story, rollout, current, playing, scroll_to, show_caption) =
            (story.clone(), rollout.clone(), current.clone(), playing.clone(), scroll_to.clone(), show_caption.clone());
        move |(is_waiting, _, _)| {
            let timeout = is_waiting.then(|| {
                let caption = *current;
                let milliseconds = reading_time(&story, caption, is_unasked);
                Timeout::new(milliseconds, move || {
                    let playback = rollout.state.playback.clone();
                    let moment = |caption| playback.as_ref().and_then(|it| story.caption_moment(it, caption).ok());
                    let next = caption.saturating_add(1);
                    let Some(target) = moment(next) else {
                        playing.set(false);
                        return;
                    };
                    current.set(next);
                    scroll_to.emit(next);
                    if target.time > rollout.state.playhead.time {
                        rollout.dispatch(RolloutAction::Play(PlayUntil::Time(target.time)));
                    } else {
                        show_caption.emit(next);
                    }
                })
            });
            move || drop(timeout)
        }
    });
    // Arrived at a caption: its step is explained. Elsewhere, the reader has moved the playhead, and the story waits.
    use_effect_with((state.playing.is_some(), state.playhead.time), {
        let (story, playback, show_caption, current, playing) =
            (story.clone(), state.playback.clone(), show_caption.clone(), *current, playing.clone());
        move |(runs, time)| {
            let Some(playback) = playback.filter(|_| *playing && !runs) else { return };
            let moment = story.caption_moment(&playback, current);
            if moment.is_ok_and(|moment| playback.at_time(moment.time).time == *time) {
                show_caption.emit(current);
            } else {
                playing.set(false);
            }
        }
    });

    let toggle_what_if = {
        let what_if = what_if.clone();
        Callback::from(move |()| what_if.set(!*what_if))
    };
    use_effect_with(state.done_forks(), {
        let what_if = what_if.setter();
        move |_| what_if.set(false)
    });
    let toggle_more = {
        let more = more.clone();
        Callback::from(move |_: MouseEvent| more.set(!*more))
    };
    let last = story.captions.len().saturating_sub(1);
    use_shortcuts(*character_shortcuts, {
        let (rollout, on_help, what_if, go_to, current, playing) =
            (rollout.clone(), on_help.clone(), what_if.clone(), go_to.clone(), current.clone(), playing.clone());
        Callback::from(move |shortcut| match shortcut {
            Shortcut::WhatIf => what_if.set(true),
            Shortcut::Close => {
                what_if.set(false);
                on_help.emit(false);
            }
            Shortcut::Help => on_help.emit(true),
            Shortcut::NextCaption => go_to.emit(current.saturating_add(1).min(last)),
            Shortcut::PreviousCaption => go_to.emit(current.saturating_sub(1)),
            shortcut => {
                playing.set(false);
                if let Some(action) = playback_action(&rollout, shortcut) {
                    rollout.dispatch(action);
                }
            }
        })
    });
    let on_play_story = {
        let (story, playing, rollout, current, go_to) =
            (story.clone(), playing.clone(), rollout.clone(), current.clone(), go_to.clone());
        let plays_unasked = plays_unasked.clone();
        Callback::from(move |_: MouseEvent| {
            plays_unasked.set(false);
            if *playing {
                rollout.dispatch(RolloutAction::Pause);
                playing.set(false);
            } else {
                let moment = rollout.state.playback.as_ref().and_then(|it| story.caption_moment(it, *current).ok());
                if let Some(moment) = moment.filter(|moment| rollout.state.playhead.time < moment.time) {
                    // It was paused on the way to this caption.
                    rollout.dispatch(RolloutAction::Play(PlayUntil::Time(moment.time)));
                } else if *current >= last {
                    go_to.emit(0);
                }
                playing.set(true);
            }
        })
    };
    let on_remedy = {
        let (shows_remedy, current, playing) = (shows_remedy.clone(), current.clone(), playing.clone());
        let last = loaded.story.captions.len().saturating_sub(1);
        Callback::from(move |shown| {
            // The button goes away.
            dom::focus_main();
            playing.set(false);
            current.set(if shown { 0 } else { last });
            shows_remedy.set(shown);
        })
    };
    let times = state.playback.as_ref().map(|playback| story.caption_times(playback)).unwrap_or_default();
    let problem = state
        .refusal
        .as_ref()
        .map(|refusal| refusal.problem.clone())
        .or_else(|| pin_problem(&story, loaded, state.playback.as_deref()));
    let explained = state.explain.map_or(0, |step| step.lane);
    let inspection = state.inspection.as_ref().and_then(|inspection| inspection.lanes.get(explained));
    let why = state.playback.clone().zip(inspection.cloned()).map(|(playback, inspection)| {
        let on_toggle = rollout.callback(RolloutAction::ShowTables);
        html! { <Why {playback} {inspection} lane={explained} now={state.playhead.time} is_open={state.tables} on_highlight={Callback::noop()} {on_toggle} /> }
    });
    let back_to_story = rollout.callback(|_: MouseEvent| {
        // The button goes away.
        dom::focus_main();
        RolloutAction::ClearForks
    });
    html! {
        <main id="main" class="story" tabindex="-1">
            <header class="story-header">
                <StorySelect entries={loaded.entries.clone()} name={loaded.name.clone()} />
                <h1>{ &loaded.story.title }</h1>
                <p class="summary">{ &loaded.story.summary }</p>
                <p class="how-to-read">{ "Read across: all pods at one moment. Read down: the seconds pass." }</p>
            </header>
            <div class="pinned" ref={picture}>
                <Lanes rollout={rollout.clone()} by_node={loaded.story.by_node()} />
                if let Some(problem) = problem { <p class="problem" role="alert">{ problem.to_string() }</p> }
                if let Some(failure) = &state.failure {
                    <p class="problem" role="alert">{ format!("The page stopped: {failure}. Load it again.") }</p>
                }
                <AppliedForks rollout={rollout.clone()} />
                if has_forks {
                    <p><button type="button" onclick={back_to_story}>{ "Back to what happened" }</button></p>
                }
                if *what_if { <WhatIf rollout={rollout.clone()} on_close={toggle_what_if.clone()} /> }
                <div class={classes!("bar", more.then_some("open"))}>
                    <CaptionButtons current={*current} count={story.captions.len()} is_playing={*playing}
                        on_caption={go_to.clone()} on_play={on_play_story} />
                    // On a small screen, the player is shown on demand.
                    <button type="button" class="link more" aria-expanded={more.to_string()} onclick={toggle_more}>
                        { if *more { "Less" } else { "More" } }
                    </button>
                    <PlayerBar rollout={rollout.clone()} has_play={false} is_what_if_open={*what_if} on_what_if={toggle_what_if} />
                </div>
                <p class="visually-hidden" role="status">{ &*announcement }</p>
            </div>
            <StoryCaptions story={story.clone()} {times} current={*current}
                remedy={loaded.story.helps.clone().filter(|_| !*shows_remedy)} root={captions} on_caption={go_to}
                {on_remedy} shows_remedy={*shows_remedy} why={why.unwrap_or_default()} />
            { view_about(loaded, state.playback.clone(), on_open_in_sandbox) }
        </main>
    }
}

/// The time between two captions that a reader has scrolled to; none where a caption stays at its moment.
fn time_between(story: &Story, playback: &Playback, scroll: StoryScroll) -> Option<i64> {
    if scroll.progress <= 0.0 {
        return None;
    }
    let from = story.caption_moment(playback, scroll.caption).ok()?.time;
    let to = story.caption_moment(playback, scroll.caption.saturating_add(1)).ok()?.time;
    Some(from.saturating_add(to_i64(to_f64(to.saturating_sub(from)) * scroll.progress)))
}

/// The button that plays the story.
const PLAY_BUTTON: &str = ".caption-buttons .primary";

/// The milliseconds that it takes to read a caption; the first one with what stands above it, if nobody asked for it to play.
fn reading_time(story: &Story, caption: usize, is_unasked: bool) -> u32 {
    const MILLISECONDS_PER_WORD: f64 = 240.0;
    const AT_LEAST: f64 = 2500.0;
    let texts = story.captions.get(caption).map(|caption| [&caption.title, &caption.text]);
    let above = (is_unasked && caption == 0).then_some([&story.title, &story.summary]);
    let words = texts.into_iter().chain(above).flatten().flat_map(|text| text.split_whitespace()).count();
    let milliseconds = (count_to_f64(words) * MILLISECONDS_PER_WORD).max(AT_LEAST);
    u32::try_from(to_i64(milliseconds)).unwrap_or(u32::MAX)
}

/// A caption that fits no step is a mistake in the story.
fn pin_problem(story: &Story, loaded: &LoadedStory, playback: Option<&Playback>) -> Option<Problem> {
    let problem = (0..story.captions.len()).find_map(|caption| story.caption_moment(playback?, caption).err())?;
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

fn view_about(loaded: &LoadedStory, playback: Option<Rc<Playback>>, on_open_in_sandbox: &Callback<Settings>) -> Html {
    let position = loaded.entries.iter().position(|entry| entry.name == loaded.name).unwrap_or(0);
    // After the last story comes the first.
    let next = loaded.entries.get(position.saturating_add(1)).or_else(|| loaded.entries.first());
    let settings = loaded.scenario().and_then(Settings::of_scenario);
    html! {
        <footer class="about">
            if let Some(playback) = playback { <MomentsTables {playback} /> }
            if !loaded.story.source.is_empty() {
                <p>
                    { if loaded.story.source.len() > 1 { "Sources: " } else { "Source: " } }
                    { for loaded.story.source.iter().map(|source| html! {
                        <><a href={source.href.clone()} rel="noreferrer">{ &source.text }</a>{ " " }</>
                    }) }
                </p>
            }
            if let Some(settings) = settings {
                <p>
                    <button type="button" aria-describedby="in-the-sandbox"
                        onclick={on_open_in_sandbox.reform(move |_: MouseEvent| settings.clone())}>{ "Open in the sandbox" }</button>
                </p>
                <p class="note" id="in-the-sandbox">
                    { "Takes the settings along, and updates the image. To scale, drain or undo there, use “What if…”." }
                </p>
            }
            if let Some(next) = next {
                <p>
                    { "Next story: " }
                    <Link<Route> to={Route::Story { name: next.name.clone() }}>{ &next.label }</Link<Route>>
                </p>
            }
            <p><a href="stories/">{ "All stories" }</a></p>
        </footer>
    }
}

#[derive(PartialEq, Properties)]
struct StorySelectProps {
    entries: Vec<StoryEntry>,
    name: String,
}

/// The menu of all stories.
#[component]
fn StorySelect(props: &StorySelectProps) -> Html {
    let StorySelectProps { entries, name } = props;
    let navigator = use_navigator();
    let position = entries.iter().position(|entry| entry.name == *name).map_or(0, |index| index.saturating_add(1));
    let on_select = Callback::from(move |event: Event| {
        let selected = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value());
        if let Some((name, navigator)) = selected.zip(navigator.as_ref()) {
            navigator.push(&Route::Story { name });
        }
    });
    html! {
        <p class="which">
            <label for="story">{ format!("Story {position} of {}", entries.len()) }</label>{ " " }
            <select id="story" onchange={on_select}>
                { for entries.iter().map(|entry| html! {
                    <option key={entry.name.clone()} value={entry.name.clone()} selected={entry.name == *name}>{ &entry.label }</option>
                }) }
            </select>
        </p>
    }
}

#[derive(PartialEq, Properties)]
struct CaptionButtonsProps {
    current: usize,
    count: usize,
    is_playing: bool,
    on_caption: Callback<usize>,
    on_play: Callback<MouseEvent>,
}

/// The buttons that go through the captions.
#[component]
fn CaptionButtons(props: &CaptionButtonsProps) -> Html {
    let CaptionButtonsProps { current, count, is_playing, on_caption, on_play } = props;
    let (previous, number) = (current.saturating_sub(1), current.saturating_add(1));
    let next = number.min(count.saturating_sub(1));
    html! {
        <div class="caption-buttons" role="group" aria-label="Story">
            <button type="button" title="Previous caption (b)" aria-disabled={(*current == 0).to_string()}
                onclick={on_caption.reform(move |_: MouseEvent| previous)}>{ "Back" }</button>
            <button type="button" class="primary" onclick={on_play.clone()}>
                { match (*is_playing, number >= *count && *count > 1) {
                    (true, _) => "Pause the story",
                    (false, false) => "Play the story",
                    (false, true) => "Play again",
                } }
            </button>
            <button type="button" title="Next caption (n)" aria-disabled={(number >= *count).to_string()}
                onclick={on_caption.reform(move |_: MouseEvent| next)}>{ "Next" }</button>
            <span class="position">{ format!("{number} of {count}") }</span>
        </div>
    }
}
