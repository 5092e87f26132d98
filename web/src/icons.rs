//! Icons, drawn: no font has them all.

use yew::prelude::*;

fn icon(d: &'static str) -> Html {
    html! { <svg class="glyph" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><path {d} /></svg> }
}

/// Play.
pub(crate) fn play() -> Html {
    icon("M4 2.5v11l9-5.5z")
}

/// Pause.
pub(crate) fn pause() -> Html {
    icon("M4 3h3v10H4zM9 3h3v10H9z")
}

/// To the start.
pub(crate) fn start() -> Html {
    icon("M3 3h2v10H3zM13 3v10L6 8z")
}

/// To the end.
pub(crate) fn end() -> Html {
    icon("M11 3h2v10h-2zM3 3v10l7-5z")
}

/// A step back.
pub(crate) fn back() -> Html {
    icon("M11 3v10L4 8z")
}

/// A step.
pub(crate) fn forward() -> Html {
    icon("M5 3v10l7-5z")
}

/// Close.
pub(crate) fn cross() -> Html {
    icon("M4.2 2.8 8 6.6l3.8-3.8 1.4 1.4L9.4 8l3.8 3.8-1.4 1.4L8 9.4l-3.8 3.8-1.4-1.4L6.6 8 2.8 4.2z")
}
