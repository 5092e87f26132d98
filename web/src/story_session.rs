//! The story that is told: its files as they arrive, and where in it the reader is.

use changeover_core::Problem;
use changeover_core::json::decode;
use changeover_wire::{format_clock, index_at, list_field};
use serde_json::Value;
use yew::Html;

use crate::element::{button, element, text_element, text_node};
use crate::playback::{LaneInfo, Playback};
use crate::rollout_inputs::text_with_button;
use crate::story::{Caption, Story, StoryEntry};

/// The list of stories.
pub(crate) const INDEX: &str = "index.json";

/// See the module.
#[derive(Default)]
pub(crate) struct StorySession {
    /// The stories that there are.
    pub entries: Vec<StoryEntry>,
    files: Vec<(String, String)>,
    /// Files that were asked for.
    requested: Vec<String>,
    /// Which story.
    pub story_name: String,
    /// It, once its file is there.
    pub story: Option<Story>,
    /// Which caption.
    pub caption_index: usize,
    /// Whether what would have helped was done.
    pub shows_help: bool,
}

impl StorySession {
    /// A file arrived.
    pub(crate) fn add_file(&mut self, name: &str, text: &str) {
        self.files.push((String::from(name), String::from(text)));
    }

    fn file(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(other, _)| other == name).map(|(_, text)| text.as_str())
    }

    /// Turns to a story and a caption, from 0. Whether it is another story.
    pub(crate) fn open_story(&mut self, name: &str, at: usize) -> bool {
        let another = self.story_name != name || self.shows_help;
        if another {
            self.story_name = String::from(name);
            self.story = None;
            self.shows_help = false;
            // What could not be fetched may be there now.
            self.files.retain(|(_, text)| !text.starts_with('!'));
            self.requested.retain(|name| self.files.iter().any(|(other, _)| other == name));
        }
        self.caption_index = at;
        another
    }

    /// Which files are missing, each said once.
    pub(crate) fn take_missing_files(&mut self) -> Vec<String> {
        let mut needed = vec![String::from(INDEX)];
        if !self.story_name.is_empty() {
            needed.push(format!("{}.story.json", self.story_name));
        }
        for name in self.story.iter().flat_map(|story| story.scenario_names(&self.story_name)) {
            needed.push(format!("{name}.json"));
        }
        let mut missing = Vec::new();
        for name in needed {
            if !self.requested.contains(&name) {
                self.requested.push(name.clone());
                missing.push(name);
            }
        }
        missing
    }

    /// Reads what is there. The lanes, once everything is.
    ///
    /// # Errors
    /// What is wrong with a file, with its name.
    pub(crate) fn play_requests(&mut self) -> Result<Option<Vec<(LaneInfo, Value)>>, Problem> {
        if self.entries.is_empty()
            && let Some(text) = self.file(INDEX)
        {
            self.entries = decode(&parse_file(INDEX, text)?, INDEX)?;
        }
        if self.story_name.is_empty()
            && let Some(first) = self.entries.first()
        {
            self.story_name.clone_from(&first.name);
        }
        if self.story.is_none() {
            let name = format!("{}.story.json", self.story_name);
            let Some(text) = self.file(&name) else { return Ok(None) };
            let story = Story::parse(&parse_file(&name, text)?)
                .map_err(|problem| Problem::new(format!("{name} {}", problem.path), problem.message))?;
            self.caption_index = self.caption_index.min(story.captions.len().saturating_sub(1));
            self.story = Some(story);
        }
        let Some(story) = &self.story else { return Ok(None) };
        let mut lanes = Vec::new();
        for (lane, name) in story.scenario_names(&self.story_name).into_iter().enumerate() {
            let name = format!("{name}.json");
            let Some(text) = self.file(&name) else { return Ok(None) };
            lanes.push(story.play_request(lane, parse_file(&name, text)?));
        }
        Ok(Some(lanes))
    }

    /// Does what would have helped, or takes it back.
    pub(crate) fn set_help(&mut self, on: bool) {
        self.story = self.story.as_ref().filter(|_| on && !self.shows_help).map(Story::with_help);
        self.shows_help = on;
        self.caption_index = 0;
    }

    /// The caption that is shown.
    pub(crate) fn current_caption(&self) -> Option<&Caption> {
        self.captions().get(self.caption_index)
    }

    /// All captions.
    pub(crate) fn captions(&self) -> &[Caption] {
        self.story.as_ref().map(|story| story.captions.as_slice()).unwrap_or_default()
    }

    /// The time of a caption, and the step that it explains, where it has one: its lane and its number.
    ///
    /// # Errors
    /// When no step fits.
    pub(crate) fn caption_moment(
        &self,
        stage: &Playback,
        caption: usize,
    ) -> Result<(i64, Option<(usize, usize)>), Problem> {
        let missing = || {
            let path = format!("{}.story.json captions[{caption}]", self.story_name);
            Problem::new(path, "Invalid value: no step of that lane fits its rule, about and nth")
        };
        let (Some(story), Some(this)) = (&self.story, self.captions().get(caption)) else { return Ok((0, None)) };
        match this.rule.as_deref() {
            None => return Ok((stage.end_time(), None)),
            Some("start") => return Ok((this.after.0, None)),
            Some(_) => {}
        }
        let lane = usize::try_from(this.lane).unwrap_or(usize::MAX);
        let played = stage.lanes.get(lane).ok_or_else(missing)?;
        let pin = story
            .pin_index(caption)
            .and_then(|pin| index_at(list_field(&played.response, "pins"), pin))
            .ok_or_else(missing)?;
        let step = played.track.steps.get(pin).ok_or_else(missing)?;
        Ok((step.time.saturating_add(this.after.0), Some((lane, pin))))
    }

    /// The last caption whose time has come; of those that came together, the first.
    pub(crate) fn caption_at(&self, stage: &Playback, now: i64) -> usize {
        let mut found = (0, i64::MIN);
        for caption in 0..self.captions().len() {
            match self.caption_moment(stage, caption) {
                Ok((time, _)) if time <= now && time > found.1 => found = (caption, time),
                Ok((time, _)) if time <= now => {}
                _ => break,
            }
        }
        found.0
    }

    /// Whether the last caption is shown.
    pub(crate) fn is_last_caption(&self) -> bool {
        self.caption_index.saturating_add(1) >= self.captions().len()
    }

    /// Draws the words. `away`: when the caption was, where the playhead is elsewhere; `forked`: what is said instead of
    /// captions that no longer fit.
    pub(crate) fn view(&self, away: Option<i64>, forked: Option<Vec<Html>>) -> Vec<Html> {
        let Some(story) = &self.story else { return Vec::new() };
        // What the story says of itself no longer is so, and going on in it takes back what was done.
        let title = if forked.is_some() { "away" } else { "" };
        let turn = match forked {
            Some(_) => vec![button("unfork", "go", "", text_node("Back to what happened"))],
            None => self.view_navigation(away),
        };
        let sayings = self.view_captions(story, away, forked);
        let caption =
            vec![element("div", &[("class", "sayings")], sayings), element("div", &[("class", "turn")], turn)];
        vec![
            element("div", &[("class", "which")], self.view_story_select()),
            text_element("h1", &[("?class", title)], &story.title),
            element("div", &[("class", "caption")], caption),
        ]
    }

    /// Which of the stories this is, counted from 1.
    fn story_number(&self) -> usize {
        self.entries.iter().position(|entry| entry.name == self.story_name).map_or(0, |index| index.saturating_add(1))
    }

    /// The choice of a story.
    fn view_story_select(&self) -> Vec<Html> {
        let mut options = Vec::new();
        for entry in &self.entries {
            let selected = if entry.name == self.story_name { "selected" } else { "" };
            options.push(text_element("option", &[("value", &entry.name), ("?selected", selected)], &entry.label));
        }
        let label = format!("Story {} of {}", self.story_number(), self.entries.len());
        vec![
            text_element("label", &[("for", "story")], &label),
            element("select", &[("id", "story"), ("key", &self.story_name)], options),
        ]
    }

    /// The captions. All of them lie in one place, which is as high as the longest: nothing below moves.
    fn view_captions(&self, story: &Story, away: Option<i64>, forked: Option<Vec<Html>>) -> Vec<Html> {
        let mut sayings = Vec::new();
        for (index, caption) in story.captions.iter().enumerate() {
            let mut said = vec![text_element("h2", &[], &caption.title), text_element("p", &[], &caption.text)];
            if let Some(helps) = story.helps.as_ref().filter(|_| index.saturating_add(1) == story.captions.len()) {
                said.push(if self.shows_help {
                    text_with_button("", "help-off", "Back to what happened")
                } else {
                    text_with_button(&helps.text, "help-on", &helps.button)
                });
            }
            let class = match away {
                _ if index != self.caption_index || forked.is_some() => "unsaid",
                Some(_) => "said away",
                None => "said",
            };
            sayings.push(element("div", &[("class", class)], said));
        }
        sayings.extend(forked.map(|said| element("div", &[("class", "said")], said)));
        sayings
    }

    /// From caption to caption, and from the last one to the next story.
    fn view_navigation(&self, away: Option<i64>) -> Vec<Html> {
        let count = self.captions().len();
        let of = format!("{} of {count}", self.caption_index.saturating_add(1));
        let mut turn = vec![text_element("span", &[("class", "place")], &of)];
        if let Some(time) = away {
            turn.push(button("again", "link", "", text_node(&format!("at {} · back to it", format_clock(time)))));
        }
        if count > 1 {
            let off = if self.caption_index == 0 { "disabled" } else { "" };
            let back = [("type", "button"), ("data-do", "caption -1"), ("class", "plain"), ("?disabled", off)];
            turn.push(text_element("button", &back, "Back"));
            // After the last story comes the first.
            turn.push(
                match self.entries.get(self.story_number()).or(self.entries.first()).filter(|_| self.is_last_caption())
                {
                    Some(next) => button(&format!("story {}", next.name), "go", &next.label, text_node("Next story")),
                    None => button("caption 1", "go", "", text_node("Next")),
                },
            );
        }
        turn
    }

    /// What the story is about, and where it happened.
    pub(crate) fn view_about(&self) -> Option<Html> {
        let story = self.story.as_ref()?;
        let mut about = vec![text_node(&story.summary)];
        for source in &story.source {
            about.push(text_node(" "));
            about.push(text_element("a", &[("href", &*source.href), ("rel", "noreferrer")], &source.text));
        }
        let about = vec![text_element("h2", &[], "About this story"), element("p", &[("class", "summary")], about)];
        Some(element("section", &[("class", "story about"), ("key", "about")], about))
    }

    /// What there is instead of a story that could not be read.
    pub(crate) fn view_not_found(&self) -> Vec<Html> {
        let mut stories = Vec::new();
        for entry in &self.entries {
            let place = format!("#stories/{}", entry.name);
            stories.push(element("li", &[], vec![text_element("a", &[("href", &place)], &entry.label)]));
        }
        let title = format!("There is no story “{}”", self.story_name);
        vec![text_element("h1", &[], &title), element("ul", &[("class", "stories")], stories)]
    }
}

fn parse_file(name: &str, text: &str) -> Result<Value, Problem> {
    if let Some(wrong) = text.strip_prefix('!') {
        return Err(Problem::new(name, wrong));
    }
    serde_json::from_str(text).map_err(|error| Problem::new(name, format!("can't be read as JSON: {error}")))
}
