use changeover_core::timeline::PodState;
use web_sys::HtmlInputElement;
use yew::{Callback, Event, Html, Properties, TargetCast, component, html};

use crate::hooks::use_dialog;
use crate::picture::{PodIcon, TileState};

/// The keys and what they do.
const KEYS: [(&str, &str); 11] = [
    ("Space", "play or pause"),
    ("→ ←", "next step, previous step; in a story, next caption, previous caption"),
    ("Shift → Shift ←", "next API write, previous API write; in a story, next step, previous step"),
    ("Home End", "start, end"),
    ("PageDown PageUp", "on the time slider: ten steps forward, ten steps back"),
    ("+ −", "faster, slower"),
    ("n b", "in a story, next caption, previous caption"),
    ("f", "what if: do something else from here"),
    ("Ctrl+Z", "in the sandbox: undo the drag of a handle"),
    ("?", "this help"),
    ("Esc", "close “What if…”, “More” or a dialog"),
];

/// The states of a pod, with the hue of an example: 0 is the old version, 1 the new one.
const STATES: [(PodState, usize, &str); 9] = [
    (PodState::Available, 0, "blue: the old version, available"),
    (PodState::Available, 1, "green: the new version, available (ready for at least minReadySeconds)"),
    (PodState::Ready, 1, "ready, but for less than minReadySeconds: the tile is full, with a hole"),
    (
        PodState::Starting,
        1,
        "starting: its containers start, or run but are not ready yet; its tile fills up, and in the picture it has dots",
    ),
    (PodState::Pending, 1, "pending: it waits for a node, or for its image; in the picture it is pale"),
    (
        PodState::Terminating,
        0,
        "terminating: it was asked to stop and is still there; the tile drains with its grace period",
    ),
    (PodState::Unknown, 0, "unknown: its node is lost"),
    (PodState::Failed, 0, "failed"),
    (PodState::Succeeded, 0, "succeeded"),
];

/// The properties of [`HelpDialog`].
#[derive(PartialEq, Properties)]
pub struct HelpDialogProps {
    /// Whether it is open.
    pub is_open: bool,
    /// It is closed.
    pub on_close: Callback<()>,
    /// Whether shortcuts of a single character are on.
    pub character_shortcuts: bool,
    /// The user switches them.
    pub on_character_shortcuts: Callback<bool>,
}

/// How to read the picture, and how to move.
#[component]
pub fn HelpDialog(props: &HelpDialogProps) -> Html {
    let HelpDialogProps { is_open, on_close, character_shortcuts, on_character_shortcuts } = props;
    let dialog = use_dialog(*is_open);
    let on_switch = on_character_shortcuts
        .reform(|event: Event| event.target_dyn_into::<HtmlInputElement>().is_none_or(|input| input.checked()));
    html! {
        <dialog ref={dialog} class="help" aria-labelledby="help-title" onclose={on_close.reform(|_| ())}>
            <header>
                <h2 id="help-title">{ "How to read the picture" }</h2>
                <button type="button" class="icon" aria-label="Close" title="Close (Esc)" onclick={on_close.reform(|_| ())}>{ "✕" }</button>
            </header>
            <p>
                { "A column is the place of one pod; when it is gone, another takes the place. Time runs down. At the playhead, the picture opens up and shows the pods of that \
                   moment. Everything to the right of the line “limit” is above the limit that you set." }
            </p>
            <p>{ "Drag the picture up or down to move in time. Rest the pointer on a pod to see its name and its node, or on a number in a sentence to \
                   see it in the picture. If there is room, a tile shows its deletion cost on the right and, with several nodes, the end of its node's name on the left." }</p>
            <ul class="legend">
                { for STATES.map(|(state, hue, meaning)| html! {
                    <li><PodIcon state={TileState::example(state).with_hue(hue)} />{ meaning }</li>
                }) }
                <li>
                    <svg class="pod-icon" width="16" height="16" aria-hidden="true"><rect class="over" x="1.5" y="1.5" width="13" height="13" /></svg>
                    { "above the limit: an orange outline around any of these" }
                </li>
            </ul>
            <p>
                { "In the picture of a Job, a column is an index (or an attempt, if the Job has no indexes). For a CronJob, it is a run. A dashed \
                   line is a wait, a cross is a pod that ended without success, and an orange outline is an index with two pods at once. \
                   The color is the attempt: blue is the first pod of an index, and green is the pod that replaces it." }
            </p>
            <p>{ "The dotted line is the fewest available pods that you allow, the dashed line is the number of pods that you asked for, and the solid line is the limit. A line of dashes and dots is a quota of pods. \
               A cross on the line of the clock marks tries that were refused, or runs of a CronJob that were skipped." }</p>
            <h2>{ "Keys" }</h2>
            <dl class="keys">
                { for KEYS.map(|(keys, meaning)| html! {
                    <div>
                        <dt>{ for keys.split(' ').map(|key| html! { <><kbd>{ key }</kbd>{ " " }</> }) }</dt>
                        <dd>{ meaning }</dd>
                    </div>
                }) }
            </dl>
            <label class="switch">
                <input type="checkbox" checked={*character_shortcuts} onchange={on_switch} />
                { " Use single-character keys (n, b, f, +, −, ?)" }
            </label>
            <p class="note">
                { "A real cluster reacts in a slightly different order each time; the picture shows one of the possible orders. \
                   podReplacementPolicy for Deployments (KEP-5882) is proposed and in no release yet." }
            </p>
        </dialog>
    }
}
