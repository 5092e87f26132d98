//! The bar at the bottom: play, step, speed, the clock and the legend.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::Message;
use crate::icons;
use crate::legend;
use crate::playback::SPEEDS;
use crate::scale::clock;

/// What the bar shows.
pub(crate) struct Bar {
    /// Whether time runs.
    pub playing: bool,
    /// Which of the speeds.
    pub speed: usize,
    /// How many times faster than asked, while a wait is shortened.
    pub hurry: Option<i64>,
    /// Nanoseconds since the start.
    pub now: i64,
    /// The last of them.
    pub end: i64,
    /// How many decisions there were.
    pub step: usize,
    /// How many there are.
    pub steps: usize,
}

/// Draws the bar.
pub(crate) fn view(bar: &Bar, send: &Callback<Message>) -> Html {
    let button = |label: &'static str, title: &'static str, icon: Html, message: fn() -> Message| {
        let onclick = send.reform(move |_: MouseEvent| message());
        html! { <button type="button" class="icon" aria-label={label} {title} {onclick}>{icon}</button> }
    };
    let toggle = send.reform(|_: MouseEvent| Message::Toggle);
    let speed = send.reform(|event: Event| {
        let element: Option<HtmlSelectElement> = event.target_dyn_into();
        Message::Speed(element.and_then(|element| usize::try_from(element.selected_index()).ok()).unwrap_or(0))
    });
    html! {
        <section class="bar" aria-label="Playback">
            <div class="buttons">
                {button("To the start", "To the start (Home)", icons::start(), || Message::Start)}
                {button("Step back", "Decision before (←)", icons::back(), || Message::Step(false))}
                <button type="button" class="go" title="Play or pause (Space)" onclick={toggle}>
                    if bar.playing { {icons::pause()}{"Pause"} } else { {icons::play()}{"Play"} }
                </button>
                {button("Step", "Next decision (→)", icons::forward(), || Message::Step(true))}
                {button("To the end", "To the end (End)", icons::end(), || Message::End)}
            </div>
            <label class="speed">
                <span class="sr">{"Speed"}</span>
                <select id="speed" title="Speed (+ −)" onchange={speed}>
                    {for SPEEDS.iter().enumerate().map(|(index, (_, name))| html! { <option selected={index == bar.speed}>{*name}</option> })}
                </select>
            </label>
            <p class="clock">
                <b class="now">{clock(bar.now)}</b>{format!(" of {} · step ", clock(bar.end))}<b class="step">{bar.step}</b>{format!(" of {}", bar.steps)}
                if let Some(hurry) = bar.hurry { <span class="hurry">{format!(" · wait shortened, {hurry}× faster")}</span> }
            </p>
            {legend::view("legend")}
        </section>
    }
}
