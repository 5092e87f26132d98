//! The help: keys, and what the shapes mean.

use yew::prelude::*;

use crate::app::Message;
use crate::icons;
use crate::keyboard::KEYS;
use crate::legend;

/// Draws the dialog.
pub(crate) fn view(dialog: &NodeRef, send: &Callback<Message>) -> Html {
    let close = send.reform(|_: MouseEvent| Message::CloseHelp);
    html! {
        <dialog ref={dialog} class="help" aria-labelledby="help-title">
            <header>
                <h2 id="help-title">{"How to read and to move"}</h2>
                <button type="button" class="icon" aria-label="Close" onclick={close}>{icons::cross()}</button>
            </header>
            <p>{"Each lane is the same Deployment under another rule. Its bar counts all pods that hold resources; what sticks out beyond the limit (desired + surge) is hatched. Below it the pods themselves, a row for each ReplicaSet, then the same counts over time: drag there."}</p>
            {legend::view("legend long")}
            <dl>{for KEYS.iter().map(|(key, what)| html! { <><dt><kbd>{*key}</kbd></dt><dd>{*what}</dd></> })}</dl>
            <p class="note">{"Real clusters interleave: this is one legal order of many. podReplacementPolicy (KEP-5882) is proposed, in no release."}</p>
        </dialog>
    }
}
