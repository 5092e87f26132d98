use std::rc::Rc;

use yew::{Callback, Html, MouseEvent, NodeRef, Properties, classes, component, html};

use crate::story::{Remedy, Story};

/// The id of the heading of the caption at the playhead.
pub const CURRENT_CAPTION_ID: &str = "current-caption";

/// The properties of [`StoryCaptions`].
#[derive(PartialEq, Properties)]
pub struct StoryCaptionsProps {
    /// The story, or its remedy.
    pub story: Rc<Story>,
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
    let StoryCaptionsProps { story, times, current, remedy, root, on_caption, on_remedy, .. } = props;
    let StoryCaptionsProps { shows_remedy, is_changed, why, .. } = props;
    let last = story.captions.len().saturating_sub(1);
    html! {
        <>
        <h2 class="visually-hidden">{ "The story, step by step" }</h2>
        <div class={classes!("captions", is_changed.then_some("outdated"))} ref={root}>
            { for story.captions.iter().enumerate().map(|(index, caption)| {
                let is_current = index == *current;
                let time = times.get(index).cloned().flatten();
                let go = on_caption.reform(move |_: MouseEvent| index);
                html! {
                    <section key={index} class={classes!("caption", is_current.then_some("current"))}
                        aria-current={is_current.then_some("step")} onclick={go}>
                        if let Some(time) = time { <p class="caption-time">{ time }</p> }
                        <h3 id={is_current.then_some(CURRENT_CAPTION_ID)} tabindex={is_current.then_some("-1")}>{ &caption.title }</h3>
                        if *is_changed { <p class="note">{ "Without your changes:" }</p> }
                        <p>{ &caption.text }</p>
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
