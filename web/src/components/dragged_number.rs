use std::rc::Rc;

use web_sys::{Element, FocusEvent, KeyboardEvent, MouseEvent, PointerEvent};
use yew::{Callback, Html, Properties, component, html, use_context, use_mut_ref, use_node_ref};

use crate::number::to_i64;
use crate::picture::{HandleAxis, value_after_key};
use crate::player_client::PlayerClient;
use crate::story_text::Draggable;

/// How many pixels the pointer moves for the next value.
const PIXELS: f64 = 14.0;

/// The properties of [`DraggedNumber`].
#[derive(PartialEq, Properties)]
pub struct DraggedNumberProps {
    /// What is set.
    pub number: Draggable,
    /// The value in the story's file.
    pub told: i32,
    /// The value.
    pub value: i32,
    /// The value in its text.
    pub text: String,
    /// The reader sets another value.
    pub on_value: Callback<i32>,
}

/// A number in a text that is dragged to the side, or moved with the arrow keys.
#[component]
pub fn DraggedNumber(props: &DraggedNumberProps) -> Html {
    let DraggedNumberProps { number, told, value, text, on_value } = props;
    let (value, range) = (i64::from(*value), number.range(*told));
    let range = (i64::from(range.0), i64::from(range.1));
    let root = use_node_ref();
    // Where the number was taken, and its value then; none if it is not dragged.
    let grip = use_mut_ref(|| None::<(f64, i64)>);
    let set = {
        let on_value = on_value.clone();
        move |to: i64| {
            let to = to.clamp(range.0, range.1);
            if let Some(to) = i32::try_from(to).ok().filter(|_| to != value) {
                on_value.emit(to);
            }
        }
    };
    let player = use_context::<Rc<PlayerClient>>();
    // What the reader sets is not recorded.
    let load_player = move || {
        if let Some(player) = &player {
            player.load();
        }
    };
    let on_focus = {
        let load_player = load_player.clone();
        Callback::from(move |_: FocusEvent| load_player())
    };
    let on_pointer_down = {
        let (root, grip) = (root.clone(), grip.clone());
        Callback::from(move |event: PointerEvent| {
            load_player();
            let Some(root) = root.cast::<Element>().filter(|_| event.button() == 0) else { return };
            // Fails only for pointers that are gone.
            let _ = root.set_pointer_capture(event.pointer_id());
            grip.replace(Some((f64::from(event.client_x()), value)));
        })
    };
    let on_pointer_move = {
        let (grip, set) = (grip.clone(), set.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some((from, value)) = *grip.borrow() {
                set(value.saturating_add(to_i64(((f64::from(event.client_x()) - from) / PIXELS).round())));
            }
        })
    };
    let on_release = Callback::from(move |_: PointerEvent| {
        grip.take();
    });
    let on_key = Callback::from(move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        if let Some(to) = value_after_key(&event.key(), HandleAxis::Pods, value, range) {
            event.prevent_default();
            set(to);
        }
    });
    html! {
        <span ref={root} class="dragged-number" role="slider" tabindex="0" aria-label={number.name()}
            title="Drag to the side, or press an arrow key" aria-valuemin={range.0.to_string()}
            aria-valuemax={range.1.to_string()} aria-valuenow={value.to_string()} aria-valuetext={text.clone()}
            onclick={|event: MouseEvent| event.stop_propagation()} onfocus={on_focus} onpointerdown={on_pointer_down}
            onpointermove={on_pointer_move} onlostpointercapture={on_release} onkeydown={on_key}>
            { text }
        </span>
    }
}
