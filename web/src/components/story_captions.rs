use std::rc::Rc;

use yew::{Callback, Html, MouseEvent, NodeRef, Properties, classes, component, html};

use super::dragged_number::DraggedNumber;
use crate::hooks::Rollout;
use crate::playback::Playback;
use crate::rollout::{Highlight, RolloutAction};
use crate::story::{Remedy, Story};
use crate::story_text::{Draggable, DraggedNumbers, Figure, Meaning, Piece, StoryText, number_in, with_number};

/// The id of the heading of the caption at the playhead.
pub const CURRENT_CAPTION_ID: &str = "current-caption";

/// The properties of [`StoryCaptions`].
#[derive(PartialEq, Properties)]
pub struct StoryCaptionsProps {
    /// The story, or its remedy.
    pub story: Rc<Story>,
    /// What is shown.
    pub rollout: Rollout,
    /// The numbers that the reader has dragged.
    pub dragged: DraggedNumbers,
    /// The reader drags a number.
    pub on_number: Callback<(Draggable, i32)>,
    /// The time of each caption, once the lanes have been played.
    pub times: Vec<Option<String>>,
    /// The caption at the playhead.
    pub current: usize,
    /// What would have helped; none while it is shown.
    pub remedy: Option<Remedy>,
    /// The element around the captions.
    pub root: NodeRef,
    /// The user goes to a caption.
    pub on_caption: Callback<usize>,
    /// The user applies the remedy (true), or goes back to what happened.
    pub on_remedy: Callback<bool>,
    /// Whether the remedy is shown.
    pub shows_remedy: bool,
    /// Whether the lanes show something else, because of what the user did.
    pub is_changed: bool,
    /// Why the current step happened, where the picture has no room for it.
    pub why: Html,
}

/// The captions of a story, one below the other.
#[component]
pub fn StoryCaptions(props: &StoryCaptionsProps) -> Html {
    let StoryCaptionsProps { story, rollout, dragged, on_number, times, current, remedy, root, .. } = props;
    let StoryCaptionsProps { on_caption, on_remedy, shows_remedy, is_changed, why, .. } = props;
    let playback = rollout.state.playback.as_deref();
    let last = story.captions().count().saturating_sub(1);
    html! {
        <>
        <h2 class="visually-hidden">{ "The story, step by step" }</h2>
        <div class={classes!("captions", is_changed.then_some("outdated"))} ref={root}>
            { for story.captions().enumerate().map(|(index, caption)| {
                let is_current = index == *current;
                // While it plays, the picture has gone on from what the caption says.
                let is_past = is_current && rollout.state.is_playing;
                let is_beginning = story.place(index).0.saturating_add(1) < story.chapter_count();
                let time = times.get(index).cloned().flatten();
                let go = on_caption.reform(move |_: MouseEvent| index);
                html! {
                    <section key={index} class={classes!("caption", is_current.then_some("current"), is_past.then_some("past"), is_beginning.then_some("beginning"))}
                        aria-current={is_current.then_some("step")} onclick={go}>
                        if let Some(time) = time { <p class="caption-time">{ time }</p> }
                        <h3 id={is_current.then_some(CURRENT_CAPTION_ID)} tabindex={is_current.then_some("-1")}>{ &caption.title }</h3>
                        if *is_changed { <p class="note">{ "Without your changes:" }</p> }
                        <p>{ view_text(&caption.text, &CaptionFigures::new(story, playback, index, *dragged), rollout, on_number) }</p>
                        if let Some(remedy) = remedy.as_ref().filter(|_| index == last) {
                            { view_remedy(remedy, on_remedy) }
                        }
                        if is_current { <div class="caption-why" onclick={|event: MouseEvent| event.stop_propagation()}>{ why.clone() }</div> }
                        if *shows_remedy {
                            <p><button type="button" class="link" onclick={stop(on_remedy, false)}>{ "Back to what happened" }</button></p>
                        }
                    </section>
                }
            }) }
        </div>
        </>
    }
}

/// The numbers of a caption at its moment.
pub struct CaptionFigures<'a> {
    /// The lanes of the caption's chapter; none while others are shown.
    playback: Option<&'a Playback>,
    lane: usize,
    /// When the caption is shown; none if its step never comes.
    time: Option<i64>,
    dragged: DraggedNumbers,
}

impl<'a> CaptionFigures<'a> {
    /// Those of a caption.
    pub fn new(story: &Story, playback: Option<&'a Playback>, caption: usize, dragged: DraggedNumbers) -> Self {
        let chapter = story.place(caption).0;
        let playback = playback.filter(|playback| playback.chapter() == chapter);
        let moment = playback.and_then(|playback| story.caption_moment(playback, caption).ok()?);
        let lane = story.captions().nth(caption).and_then(|caption| usize::try_from(caption.lane).ok());
        let dragged = if playback.is_some() { dragged.of_chapter(chapter) } else { DraggedNumbers::default() };
        Self { playback, lane: lane.unwrap_or(0), time: moment.map(|moment| moment.time), dragged }
    }

    fn figure(&self, figure: Figure) -> Option<i32> {
        figure.value(self.playback?, self.lane, self.time?)
    }

    /// The number of a marked part of the text; none if it is as the story has it.
    pub fn number(&self, meaning: Meaning) -> Option<i32> {
        match meaning {
            Meaning::Old | Meaning::New => None,
            Meaning::Figure(figure) => self.figure(figure),
            Meaning::Dragged(number) => self.dragged.get(number),
        }
    }
}

/// A text with the numbers and the colors of the picture. A number that is pointed at lights up there.
fn view_text(
    text: &StoryText,
    figures: &CaptionFigures<'_>,
    rollout: &Rollout,
    on_number: &Callback<(Draggable, i32)>,
) -> Html {
    let view = |piece: &Piece| match piece {
        Piece::Plain(text) => html! { { text } },
        Piece::Marked(text, Meaning::Old) => html! { <span class="hue r0">{ text }</span> },
        Piece::Marked(text, Meaning::New) => html! { <span class="hue r1">{ text }</span> },
        Piece::Marked(text, Meaning::Figure(figure)) => {
            let text = figures.figure(*figure).map_or_else(|| text.clone(), |value| with_number(text, value));
            let light = |is_on: bool| {
                let highlight = figure.mark().filter(|_| is_on).map(|mark| Highlight { lane: figures.lane, mark });
                rollout.callback(move |_: MouseEvent| RolloutAction::Highlight(highlight))
            };
            html! {
                <b class={classes!("figure", figure_class(*figure))} onmouseenter={light(true)} onmouseleave={light(false)}>
                    { text }
                </b>
            }
        }
        Piece::Marked(text, Meaning::Dragged(number)) => {
            let told = number_in(text).unwrap_or_default();
            let value = figures.dragged.get(*number).unwrap_or(told);
            let (number, text) = (*number, with_number(text, value));
            html! { <DraggedNumber {number} {told} {value} {text} on_value={on_number.reform(move |value| (number, value))} /> }
        }
    };
    text.pieces().iter().map(view).collect()
}

/// The class of a number that has a color of the picture.
const fn figure_class(figure: Figure) -> Option<&'static str> {
    match figure {
        Figure::Over => Some("over"),
        _ => None,
    }
}

fn view_remedy(remedy: &Remedy, on_remedy: &Callback<bool>) -> Html {
    html! {
        <p class="remedy">
            { &remedy.text }{ " " }
            <button type="button" onclick={stop(on_remedy, true)}>{ &remedy.button }</button>
        </p>
    }
}

/// A click on a button in a caption is no click on the caption.
fn stop(callback: &Callback<bool>, value: bool) -> Callback<MouseEvent> {
    callback.reform(move |event: MouseEvent| {
        event.stop_propagation();
        value
    })
}
