use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_render::{AnimationFrame, request_animation_frame};
use yew::{Callback, hook, use_effect_with};

/// Calls back for each frame that the browser paints, with the milliseconds since the one before, as long as `running`.
#[hook]
pub fn use_animation_frames(running: bool, on_frame: Callback<f64>) {
    use_effect_with((running, on_frame), |(running, on_frame)| {
        let frames = running.then(|| FrameLoop::start(on_frame.clone()));
        move || drop(frames)
    });
}

/// A loop of animation frames that ends when it is dropped.
struct FrameLoop {
    pending: Rc<RefCell<Option<AnimationFrame>>>,
}

impl FrameLoop {
    fn start(on_frame: Callback<f64>) -> Self {
        let pending = Rc::new(RefCell::new(None));
        request_next(&pending, on_frame, Rc::new(Cell::new(None)));
        Self { pending }
    }
}

impl Drop for FrameLoop {
    fn drop(&mut self) {
        self.pending.take();
    }
}

fn request_next(pending: &Rc<RefCell<Option<AnimationFrame>>>, on_frame: Callback<f64>, last: Rc<Cell<Option<f64>>>) {
    let weak = Rc::downgrade(pending);
    let frame = request_animation_frame(move |now| {
        let passed = last.replace(Some(now)).map_or(0.0, |last| now - last);
        // A background tab gets no frames: no more than a quarter of a second passes at once.
        on_frame.emit(passed.min(250.0));
        if let Some(pending) = weak.upgrade().filter(|pending| pending.borrow().is_some()) {
            request_next(&pending, on_frame, last);
        }
    });
    pending.replace(Some(frame));
}
