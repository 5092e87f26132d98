use std::rc::Rc;

use web_sys::{Element, KeyboardEvent, PointerEvent};
use yew::{Callback, Html, Properties, classes, component, html, use_mut_ref, use_node_ref};

use super::geometry::Geometry;

/// What a handle changes, and the direction in which it is dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandleAxis {
    /// A number of pods, from left to right.
    Pods,
    /// A number of seconds, from top to bottom.
    Seconds,
}

/// The properties of [`DragHandle`].
#[derive(PartialEq, Properties)]
pub struct DragHandleProps {
    /// What it changes.
    pub axis: HandleAxis,
    /// The scales that turn a distance into a value.
    pub geometry: Rc<Geometry>,
    /// Where it stands on its axis, in pixels of the picture without the row of pods.
    pub position: f64,
    /// The style that puts it there.
    pub style: String,
    /// Its class.
    pub class: &'static str,
    /// What is set.
    pub name: &'static str,
    /// The value.
    pub value: i64,
    /// The value in words.
    pub value_text: String,
    /// The least value.
    pub min: i64,
    /// The greatest value.
    pub max: i64,
    /// The user sets another value.
    pub on_value: Callback<i64>,
    /// The user begins to drag (true), or ends.
    pub on_hold: Callback<bool>,
    /// What is seen of it.
    #[prop_or_default]
    pub children: Html,
}

/// Where a handle was taken.
#[derive(Clone, Copy)]
struct Grip {
    pointer: f64,
    position: f64,
    value: i64,
}

/// What a handle remembers from one event to the next.
struct Drag {
    /// The value that was drawn last.
    rendered: i64,
    /// The value that was set last: keys can be pressed faster than the page is drawn.
    latest: i64,
    /// Where it was taken; none if it is not dragged.
    grip: Option<Grip>,
}

impl Drag {
    fn render(&mut self, value: i64) {
        if self.rendered != value {
            self.rendered = value;
            self.latest = value;
        }
    }
}

/// A handle that is dragged, or moved with the arrow keys, to change a value.
#[component]
pub fn DragHandle(props: &DragHandleProps) -> Html {
    let DragHandleProps { axis, geometry, position, style, class, name, value, min, max, on_value, on_hold, .. } =
        props;
    let (axis, position, value, min, max) = (*axis, *position, *value, *min, *max);
    let root = use_node_ref();
    let drag = use_mut_ref(|| Drag { rendered: value, latest: value, grip: None });
    drag.borrow_mut().render(value);
    let set = {
        let (drag, on_value) = (drag.clone(), on_value.clone());
        move |value: i64| {
            if drag.borrow().latest != value {
                drag.borrow_mut().latest = value;
                on_value.emit(value);
            }
        }
    };
    let on_pointer_down = {
        let (root, drag, on_hold) = (root.clone(), drag.clone(), on_hold.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(root) = root.cast::<Element>().filter(|_| event.button() == 0) else { return };
            // Fails only for pointers that are gone.
            let _ = root.set_pointer_capture(event.pointer_id());
            let mut drag = drag.borrow_mut();
            drag.grip = Some(Grip { pointer: pointer(&event, axis), position, value: drag.latest });
            on_hold.emit(true);
        })
    };
    let on_pointer_move = {
        let (drag, geometry, set) = (drag.clone(), geometry.clone(), set.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(grip) = drag.borrow().grip else { return };
            let to = grip.position + pointer(&event, axis) - grip.pointer;
            let by = match axis {
                HandleAxis::Pods => geometry.pods_between(grip.position, to),
                HandleAxis::Seconds => geometry.seconds_between(grip.position, to),
            };
            set(grip.value.saturating_add(by).min(max).max(min));
        })
    };
    let on_release = {
        let (drag, on_hold) = (drag.clone(), on_hold.clone());
        Callback::from(move |_: PointerEvent| {
            drag.borrow_mut().grip = None;
            on_hold.emit(false);
        })
    };
    let on_key = Callback::from(move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let value = drag.borrow().latest;
        if let Some(value) = value_after_key(&event.key(), axis, value, (min, max)) {
            event.prevent_default();
            set(value);
        }
    });
    let orientation = match axis {
        HandleAxis::Pods => "horizontal",
        HandleAxis::Seconds => "vertical",
    };
    html! {
        <div ref={root} class={classes!("setting-handle", *class)} role="slider" tabindex="0" aria-label={*name}
            aria-orientation={orientation} aria-valuemin={min.to_string()} aria-valuemax={max.to_string()}
            aria-valuenow={value.to_string()} aria-valuetext={props.value_text.clone()} style={style.clone()}
            onpointerdown={on_pointer_down} onpointermove={on_pointer_move} onlostpointercapture={on_release}
            onkeydown={on_key}>
            { props.children.clone() }
        </div>
    }
}

/// The pointer's coordinate on an axis.
fn pointer(event: &PointerEvent, axis: HandleAxis) -> f64 {
    f64::from(match axis {
        HandleAxis::Pods => event.client_x(),
        HandleAxis::Seconds => event.client_y(),
    })
}

/// The value after a key is pressed; none if the key changes no value. Arrows go where they point.
pub fn value_after_key(key: &str, axis: HandleAxis, value: i64, (min, max): (i64, i64)) -> Option<i64> {
    let page = value.saturating_div(10).max(5);
    let by = match (key, axis) {
        ("ArrowRight", _) | ("ArrowUp", HandleAxis::Pods) | ("ArrowDown", HandleAxis::Seconds) => 1,
        ("ArrowLeft", _) | ("ArrowDown", HandleAxis::Pods) | ("ArrowUp", HandleAxis::Seconds) => -1,
        ("PageUp", HandleAxis::Pods) | ("PageDown", HandleAxis::Seconds) => page,
        ("PageDown", HandleAxis::Pods) | ("PageUp", HandleAxis::Seconds) => page.saturating_neg(),
        ("Home", _) => return Some(min),
        ("End", _) => return Some(max),
        _ => return None,
    };
    Some(value.saturating_add(by).min(max).max(min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_a_handle_where_they_point() {
        let cases = [
            ("ArrowRight", 20, 7),
            ("ArrowLeft", 18, 5),
            ("ArrowUp", 20, 5),
            ("ArrowDown", 18, 7),
            ("PageUp", 24, 1),
            ("PageDown", 15, 11),
            ("Home", 15, 0),
            ("End", 30, 300),
        ];
        for (key, pods, seconds) in cases {
            assert_eq!(value_after_key(key, HandleAxis::Pods, 19, (15, 30)), Some(pods), "{key}");
            assert_eq!(value_after_key(key, HandleAxis::Seconds, 6, (0, 300)), Some(seconds), "{key}");
        }
        assert_eq!(value_after_key("a", HandleAxis::Pods, 19, (15, 30)), None);
        assert_eq!(value_after_key("ArrowRight", HandleAxis::Pods, 30, (15, 30)), Some(30));
    }
}
