//! The story session: the story that the page shows, its files as they arrive, and the current caption.

use changeover_core::Problem;
use changeover_core::json::decode;
use changeover_wire::{format_clock, index_at, list_field};
use serde_json::Value;
use yew::Html;

use crate::element::{button, element, text_element, text_node, text_with_button};
use crate::playback::{LaneInfo, Playback};
use crate::story::{Caption, Story, StoryEntry};

/// The file that lists all stories.
pub(crate) const INDEX: &str = "index.json";

/// The story that the page shows, and the current caption.
#[derive(Default)]
pub(crate) struct StorySession {
    /// All stories.
    pub entries: Vec<StoryEntry>,
    files: Vec<(String, String)>,
    /// The names of files that were requested.
    requested: Vec<String>,
    /// The name of the story.
    pub story_name: String,
    /// The story, once its file has arrived.
    pub story: Option<Story>,
    /// The index of the current caption.
    pub caption_index: usize,
    /// Whether the story shows what would have helped.
    pub shows_remedy: bool,
}

impl StorySession {
    /// Adds a file that has arrived. The text of a missing one begins with `!`.
    pub(crate) fn add_file(&mut self, name: &str, text: &str) {
        self.files.push((String::from(name), String::from(text)));
    }

    fn file(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(other, _)| other == name).map(|(_, text)| text.as_str())
    }

    /// Opens a story at a caption, from 0. Returns whether it is another story.
    pub(crate) fn open_story(&mut self, name: &str, at: usize) -> bool {
        let another = self.story_name != name || self.shows_remedy;
        if another {
            self.story_name = String::from(name);
            self.story = None;
            self.shows_remedy = false;
            // Files that were missing may exist now.
            self.files.retain(|(_, text)| !text.starts_with('!'));
            self.requested.retain(|name| self.files.iter().any(|(other, _)| other == name));
        }
        self.caption_index = at;
        another
    }

    /// The names of missing files; each one only once.
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

    /// The lanes of the story and their play requests, once all files have arrived.
    ///
    /// # Errors
    /// A problem in a file, with its name.
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

    /// Shows what would have helped, or the story itself.
    pub(crate) fn set_remedy(&mut self, show: bool) {
        self.story = self.story.as_ref().filter(|_| show && !self.shows_remedy).map(Story::with_remedy);
        self.shows_remedy = show;
        self.caption_index = 0;
    }

    /// The current caption.
    pub(crate) fn current_caption(&self) -> Option<&Caption> {
        self.captions().get(self.caption_index)
    }

    /// All captions.
    pub(crate) fn captions(&self) -> &[Caption] {
        self.story.as_ref().map(|story| story.captions.as_slice()).unwrap_or_default()
    }

    /// The time of a caption and, if it explains a step, the lane and the number of the step.
    ///
    /// # Errors
    /// If no step matches.
    pub(crate) fn caption_moment(
        &self,
        playback: &Playback,
        index: usize,
    ) -> Result<(i64, Option<(usize, usize)>), Problem> {
        let missing = || {
            let path = format!("{}.story.json captions[{index}]", self.story_name);
            Problem::new(path, "Invalid value: no step of that lane fits its rule, about and nth")
        };
        let (Some(story), Some(caption)) = (&self.story, self.captions().get(index)) else { return Ok((0, None)) };
        match caption.rule.as_deref() {
            None => return Ok((playback.end_time(), None)),
            Some("start") => return Ok((caption.after.0, None)),
            Some(_) => {}
        }
        let lane = usize::try_from(caption.lane).unwrap_or(usize::MAX);
        let played_lane = playback.lanes.get(lane).ok_or_else(missing)?;
        let pin = story
            .pin_index(index)
            .and_then(|pin| index_at(list_field(&played_lane.response, "pins"), pin))
            .ok_or_else(missing)?;
        let step = played_lane.track.steps.get(pin).ok_or_else(missing)?;
        Ok((step.time.saturating_add(caption.after.0), Some((lane, pin))))
    }

    /// The last caption at or before a time; among captions of the same time, the first one.
    pub(crate) fn caption_at(&self, playback: &Playback, now: i64) -> usize {
        let mut found = (0, i64::MIN);
        for caption in 0..self.captions().len() {
            match self.caption_moment(playback, caption) {
                Ok((time, _)) if time <= now && time > found.1 => found = (caption, time),
                Ok((time, _)) if time <= now => {}
                _ => break,
            }
        }
        found.0
    }

    /// Whether the current caption is the last one.
    pub(crate) fn is_last_caption(&self) -> bool {
        self.caption_index.saturating_add(1) >= self.captions().len()
    }

    /// The title, the captions and the navigation. `left_caption_time`: the time of the caption, if the playhead is elsewhere.
    /// `forked`: replaces the captions once the user has changed what happens.
    pub(crate) fn view(&self, left_caption_time: Option<i64>, forked: Option<Vec<Html>>) -> Vec<Html> {
        let Some(story) = &self.story else { return Vec::new() };
        // The title no longer applies, and the navigation would undo the user's forks.
        let title = if forked.is_some() { "away" } else { "" };
        let navigation = match forked {
            Some(_) => vec![button("unfork", "go", "", text_node("Back to what happened"))],
            None => self.view_navigation(left_caption_time),
        };
        let captions = self.view_captions(story, left_caption_time, forked);
        let caption =
            vec![element("div", &[("class", "sayings")], captions), element("div", &[("class", "turn")], navigation)];
        vec![
            element("div", &[("class", "which")], self.view_story_select()),
            text_element("h1", &[("?class", title)], &story.title),
            element("div", &[("class", "caption")], caption),
        ]
    }

    /// The number of the story, from 1.
    fn story_number(&self) -> usize {
        self.entries.iter().position(|entry| entry.name == self.story_name).map_or(0, |index| index.saturating_add(1))
    }

    /// The menu of all stories.
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

    /// All captions, one over the other, so that nothing below moves when another one is shown.
    fn view_captions(&self, story: &Story, left_caption_time: Option<i64>, forked: Option<Vec<Html>>) -> Vec<Html> {
        let mut captions = Vec::new();
        for (index, caption) in story.captions.iter().enumerate() {
            let mut content = vec![text_element("h2", &[], &caption.title), text_element("p", &[], &caption.text)];
            if let Some(helps) = story.helps.as_ref().filter(|_| index.saturating_add(1) == story.captions.len()) {
                content.push(if self.shows_remedy {
                    text_with_button("", "help-off", "Back to what happened")
                } else {
                    text_with_button(&helps.text, "help-on", &helps.button)
                });
            }
            let class = match left_caption_time {
                _ if index != self.caption_index || forked.is_some() => "unsaid",
                Some(_) => "said away",
                None => "said",
            };
            captions.push(element("div", &[("class", class)], content));
        }
        captions.extend(forked.map(|content| element("div", &[("class", "said")], content)));
        captions
    }

    /// The buttons to the previous and the next caption, and from the last one to the next story.
    fn view_navigation(&self, left_caption_time: Option<i64>) -> Vec<Html> {
        let count = self.captions().len();
        let position = format!("{} of {count}", self.caption_index.saturating_add(1));
        let mut navigation = vec![text_element("span", &[("class", "place")], &position)];
        if let Some(time) = left_caption_time {
            navigation.push(button("again", "link", "", text_node(&format!("at {} · back to it", format_clock(time)))));
        }
        if count > 1 {
            let disabled = if self.caption_index == 0 { "disabled" } else { "" };
            let back = [("type", "button"), ("data-do", "caption -1"), ("class", "plain"), ("?disabled", disabled)];
            navigation.push(text_element("button", &back, "Back"));
            // After the last story comes the first.
            navigation.push(
                match self.entries.get(self.story_number()).or(self.entries.first()).filter(|_| self.is_last_caption())
                {
                    Some(next) => button(&format!("story {}", next.name), "go", &next.label, text_node("Next story")),
                    None => button("caption 1", "go", "", text_node("Next")),
                },
            );
        }
        navigation
    }

    /// The summary of the story and its sources.
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

    /// The page for a story that does not exist.
    pub(crate) fn view_not_found(&self) -> Vec<Html> {
        let mut stories = Vec::new();
        for entry in &self.entries {
            let href = format!("#stories/{}", entry.name);
            stories.push(element("li", &[], vec![text_element("a", &[("href", &href)], &entry.label)]));
        }
        let title = format!("There is no story “{}”", self.story_name);
        vec![text_element("h1", &[], &title), element("ul", &[("class", "stories")], stories)]
    }
}

/// The JSON of a file.
fn parse_file(name: &str, text: &str) -> Result<Value, Problem> {
    if let Some(wrong) = text.strip_prefix('!') {
        return Err(Problem::new(name, wrong));
    }
    serde_json::from_str(text).map_err(|error| Problem::new(name, format!("can't be read as JSON: {error}")))
}
