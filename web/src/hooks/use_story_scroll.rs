use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use gloo_render::{AnimationFrame, request_animation_frame};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};
use yew::{Callback, NodeRef, hook, use_callback, use_effect_with, use_memo, use_mut_ref};

use crate::dom::{is_within, scroll_along, scroll_by, scroll_top, window_height};

/// How far down the window the reader looks, as a share of the room that the picture leaves.
const READING_LINE: f64 = 0.45;

/// A picture above the captions is pinned if it takes at most this share of the window.
const MAX_PINNED: f64 = 0.9;

/// Where the page scrolls a caption to, as a share of that room: beside the picture, and below it, where there is less of it.
const CAPTION_TOP: [f64; 2] = [0.12, 0.03];

/// Up to this share of its height, a caption stays at its moment; then time moves on to the next one.
const HOLD: f64 = 0.7;

/// The keys that scroll.
const SCROLLING_KEYS: [&str; 4] = ["ArrowDown", "ArrowUp", "PageDown", "PageUp"];

/// Where a press does something other than scroll.
const CONTROLS: &str = "a, button, input, label, select, summary, .dragged-number, .timeline";

/// Where the reader is in a story.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoryScroll {
    /// The caption at the reading line.
    pub caption: usize,
    /// How far the reader is on the way to the next one, from 0 to 1.
    pub progress: f64,
}

/// A caption to scroll to.
#[derive(Clone, Copy, Debug)]
pub enum ScrollTarget {
    /// One that the reader goes to.
    Chosen(usize),
    /// One that the page shows: only if the picture stays, which would be out of sight otherwise.
    Shown(usize),
}

/// Follows the captions as the reader scrolls past the picture. Returns a callback that scrolls to a caption, which is not
/// reported; neither is a scroll that brings a focused element into view.
#[hook]
pub fn use_story_scroll(
    captions: &NodeRef,
    picture: &NodeRef,
    on_scroll: Callback<StoryScroll>,
) -> Callback<ScrollTarget> {
    // Whether the reader scrolls: not the page, and not the browser, which scrolls to what gets the focus.
    let is_reader = use_memo((), |()| Cell::new(false));
    // Where the reader was last: a scroll that changes nothing for the captions is none.
    let last = use_memo((), |()| Cell::new(StoryScroll { caption: 0, progress: 0.0 }));
    // The callback is another one whenever what is shown changes; the listeners stay.
    let latest = use_mut_ref(Callback::noop);
    latest.replace(on_scroll);
    let frame = use_mut_ref(|| None::<AnimationFrame>);
    use_effect_with((captions.clone(), picture.clone()), {
        let (is_reader, last, frame) = (is_reader.clone(), last.clone(), frame.clone());
        move |(captions, picture)| {
            let (captions, picture) = (captions.clone(), picture.clone());
            let mut listeners = Vec::new();
            if let Some(window) = web_sys::window() {
                // A press may be on the scroll bar; if it moves the focus, that comes after it.
                for event in ["wheel", "touchmove", "pointerdown", "keydown", "focusin"] {
                    let is_reader = is_reader.clone();
                    // Before what the page does about the event.
                    let options = EventListenerOptions::run_in_capture_phase();
                    let on_event = move |event: &web_sys::Event| is_reader.set(scrolls(event));
                    listeners.push(EventListener::new_with_options(&window, event, options, on_event));
                }
                let (is_reader, last) = (is_reader.clone(), last.clone());
                listeners.push(EventListener::new(&window, "scroll", move |_| {
                    let Some((captions, picture)) =
                        captions.cast::<Element>().zip(picture.cast()).filter(|_| is_reader.get())
                    else {
                        return;
                    };
                    let Some(scroll) = position(&captions, &picture) else { return };
                    let before = last.replace(scroll);
                    if before == scroll {
                        return;
                    }
                    let child = u32::try_from(scroll.caption).ok().and_then(|index| captions.children().item(index));
                    if let Some(child) = child.filter(|_| before.caption != scroll.caption) {
                        keep_in_place(child, frame.clone());
                    }
                    let on_scroll = latest.borrow().clone();
                    on_scroll.emit(scroll);
                }));
            }
            move || drop(listeners)
        }
    });
    use_callback((captions.clone(), picture.clone()), move |target: ScrollTarget, (captions, picture)| {
        is_reader.set(false);
        let (captions, picture, last, is_reader) = (captions.clone(), picture.clone(), last.clone(), is_reader.clone());
        let scrolled_below = Cell::new(None);
        let scroll = move || {
            let (ScrollTarget::Chosen(caption) | ScrollTarget::Shown(caption)) = target;
            let child = captions.cast::<Element>().and_then(|it| it.children().item(u32::try_from(caption).ok()?));
            if let Some((child, picture)) = child.zip(picture.cast::<Element>()).filter(|_| !is_reader.get()) {
                let window = || matches!(target, ScrollTarget::Chosen(_)).then(ReadingRoom::window).flatten();
                let Some(room) = ReadingRoom::of(&picture, &child).or_else(window) else { return };
                if scrolled_below.replace(Some(room.top)) == Some(room.top) {
                    return;
                }
                last.set(StoryScroll { caption, progress: 0.0 });
                let [beside, below] = CAPTION_TOP;
                let margin = room.height * if room.top > 0.0 { below } else { beside };
                scroll_by(child.get_bounding_client_rect().top() - room.top - margin);
            }
        };
        in_next_frames(FRAMES, Rc::new(scroll), frame.clone());
    })
}

/// For how many frames the page looks whether the picture has another height. In the first one, the caption is shown as the current one,
/// so that the one before it is shorter; new lanes are drawn once the browser has measured their space.
const FRAMES: u32 = 12;

/// Keeps a caption where the reader sees it: with it, the parts of the page above it may get another height. Otherwise, another caption
/// would be at the reading line, with which they get their first height back, and so on.
fn keep_in_place(caption: Element, frame: Rc<RefCell<Option<AnimationFrame>>>) {
    let place = move || caption.get_bounding_client_rect().top() + scroll_top();
    let last = Cell::new(place());
    let keep = move || {
        let place = place();
        let moved = place - last.replace(place);
        if moved != 0.0 {
            scroll_along(moved);
        }
    };
    in_next_frames(FRAMES, Rc::new(keep), frame);
}

/// Does something in each of the next frames. What is put in place of the last frame's handle ends it.
fn in_next_frames(frames: u32, action: Rc<dyn Fn()>, handle: Rc<RefCell<Option<AnimationFrame>>>) {
    let Some(left) = frames.checked_sub(1) else { return };
    let next = request_animation_frame({
        let handle = handle.clone();
        move |_| {
            action();
            in_next_frames(left, action, handle);
        }
    });
    handle.replace(Some(next));
}

/// Whether a reader does this to scroll.
fn scrolls(event: &web_sys::Event) -> bool {
    match event.type_().as_str() {
        "focusin" => false,
        // A press on a control doesn't scroll. It may not move the focus either: the control may have it already, and in Safari
        // buttons never get it.
        "pointerdown" => !is_within(event, CONTROLS),
        _ => event
            .dyn_ref::<KeyboardEvent>()
            .is_none_or(|event| SCROLLING_KEYS.contains(&event.key().as_str()) && !event.default_prevented()),
    }
}

/// The part of the window in which captions are read.
struct ReadingRoom {
    top: f64,
    height: f64,
}

impl ReadingRoom {
    /// The room that a pinned picture leaves for captions: below it on a narrow screen, beside it on a wide one.
    /// None if the picture is so high that it does not stay.
    fn of(picture: &Element, captions: &Element) -> Option<Self> {
        let is_unpinned = picture.class_list().contains("unpinned");
        let (picture, captions) = (picture.get_bounding_client_rect(), captions.get_bounding_client_rect());
        let is_above = picture.left() < captions.right() && picture.right() > captions.left();
        let top = if is_above { picture.height() } else { 0.0 };
        let Self { height, .. } = Self::window()?;
        let stays = !(is_above && is_unpinned) && top < MAX_PINNED * height;
        stays.then_some(Self { top, height: height - top })
    }

    /// The whole window: nothing stays in it.
    fn window() -> Option<Self> {
        Some(Self { top: 0.0, height: window_height()? })
    }
}

fn position(captions: &Element, picture: &Element) -> Option<StoryScroll> {
    let room = ReadingRoom::of(picture, captions)?;
    let line = room.top + room.height * READING_LINE;
    let children = captions.children();
    let rects =
        (0..children.length()).filter_map(|index| children.item(index)).map(|child| child.get_bounding_client_rect());
    let mut scroll = StoryScroll { caption: 0, progress: 0.0 };
    for (index, rect) in rects.enumerate().take_while(|(index, rect)| *index == 0 || rect.top() <= line) {
        let passed = ((line - rect.top()) / rect.height().max(1.0)).clamp(0.0, 1.0);
        scroll = StoryScroll { caption: index, progress: ((passed - HOLD) / (1.0 - HOLD)).max(0.0) };
    }
    Some(scroll)
}
