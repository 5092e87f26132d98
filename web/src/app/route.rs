//! Follows the route in the address: a story and its caption, or the sandbox.

use super::App;
use crate::dom;

impl App {
    /// Shows what the address names. Keeps the view if only the caption is another one.
    pub(super) fn follow_route(&mut self) {
        let route = dom::route();
        let mut parts = route.split('/');
        let sandbox = parts.next() == Some("sandbox");
        let switched = sandbox != self.sandbox;
        self.sandbox = sandbox;
        for (id, current) in [("to-stories", !sandbox), ("to-sandbox", sandbox)] {
            if let Some(link) = dom::by_id(id) {
                dom::set_attribute(&link, "aria-current", if current { "page" } else { "false" });
            }
        }
        if switched {
            self.what_if.switch_view(sandbox);
        }
        if sandbox {
            if switched || self.playback.is_none() {
                self.leave_view();
                self.play_lanes(self.form.play_requests());
            }
            return;
        }
        let name = parts.next().unwrap_or_default();
        let caption = parts.next().and_then(|number| number.parse::<usize>().ok());
        let name =
            if name.is_empty() { self.story_session.entries.first().map_or("", |entry| &entry.name) } else { name };
        let name = String::from(name);
        let previous_caption = self.story_session.caption_index;
        if self.story_session.open_story(&name, caption.unwrap_or(1).saturating_sub(1))
            || switched
            || self.playback.is_none()
        {
            self.leave_view();
            self.what_if.clear();
            self.play_story();
        } else if self.story_session.caption_index == previous_caption {
            // The page itself set this address, and the user may have moved on.
        } else if self.what_if.clear() {
            self.restart = true;
            self.play_story();
        } else {
            self.go_to_caption();
        }
    }

    /// Leaves the current view: cancels its requests and resets its state.
    fn leave_view(&mut self) {
        self.player_client.cancel();
        self.set_playing(false);
        self.restart = true;
        self.problem = None;
        self.baseline_totals.clear();
        self.group_by_node = None;
        self.details_open = [false; 3];
        self.sheet_lane = None;
        self.active_term = None;
    }
}
