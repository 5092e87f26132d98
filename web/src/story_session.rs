//! The story that is told: its files as they arrive, and where in it the reader is.

use changeover_core::Problem;
use changeover_core::json::decode;
use changeover_wire::{format_clock, index_at, list_field};
use serde_json::Value;
use yew::Html;

use crate::element::{button, el, text, words};
use crate::playback::{Rules, Stage};
use crate::rollout_inputs::offer;
use crate::story::{Caption, Entry, Story};

/// The list of stories.
pub(crate) const INDEX: &str = "index.json";

/// See the module.
#[derive(Default)]
pub(crate) struct Telling {
    /// The stories that there are.
    pub entries: Vec<Entry>,
    files: Vec<(String, String)>,
    /// Files that were asked for.
    asked: Vec<String>,
    /// Which story.
    pub name: String,
    /// It, once its file is there.
    pub story: Option<Story>,
    /// Which caption.
    pub at: usize,
    /// Whether what would have helped was done.
    pub helped: bool,
}

impl Telling {
    /// A file arrived.
    pub(crate) fn hear(&mut self, name: &str, text: &str) {
        self.files.push((String::from(name), String::from(text)));
    }

    fn file(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(other, _)| other == name).map(|(_, text)| text.as_str())
    }

    /// Turns to a story and a caption, from 0. Whether it is another story.
    pub(crate) fn turn(&mut self, name: &str, at: usize) -> bool {
        let another = self.name != name || self.helped;
        if another {
            self.name = String::from(name);
            self.story = None;
            self.helped = false;
            // What could not be fetched may be there now.
            self.files.retain(|(_, text)| !text.starts_with('!'));
            self.asked.retain(|name| self.files.iter().any(|(other, _)| other == name));
        }
        self.at = at;
        another
    }

    /// Which files are missing, each said once.
    pub(crate) fn missing(&mut self) -> Vec<String> {
        let mut needed = vec![String::from(INDEX)];
        if !self.name.is_empty() {
            needed.push(format!("{}.story.json", self.name));
        }
        for name in self.story.iter().flat_map(|story| story.scenarios(&self.name)) {
            needed.push(format!("{name}.json"));
        }
        let mut missing = Vec::new();
        for name in needed {
            if !self.asked.contains(&name) {
                self.asked.push(name.clone());
                missing.push(name);
            }
        }
        missing
    }

    /// Reads what is there. The lanes, once everything is.
    ///
    /// # Errors
    /// What is wrong with a file, with its name.
    pub(crate) fn read(&mut self) -> Result<Option<Vec<(Rules, Value)>>, Problem> {
        if self.entries.is_empty()
            && let Some(text) = self.file(INDEX)
        {
            self.entries = decode(&json(INDEX, text)?, INDEX)?;
        }
        if self.name.is_empty()
            && let Some(first) = self.entries.first()
        {
            self.name.clone_from(&first.name);
        }
        if self.story.is_none() {
            let name = format!("{}.story.json", self.name);
            let Some(text) = self.file(&name) else { return Ok(None) };
            let story = Story::read(&json(&name, text)?)
                .map_err(|problem| Problem::new(format!("{name} {}", problem.path), problem.message))?;
            self.at = self.at.min(story.captions.len().saturating_sub(1));
            self.story = Some(story);
        }
        let Some(story) = &self.story else { return Ok(None) };
        let mut lanes = Vec::new();
        for (lane, name) in story.scenarios(&self.name).into_iter().enumerate() {
            let name = format!("{name}.json");
            let Some(text) = self.file(&name) else { return Ok(None) };
            lanes.push(story.play(lane, json(&name, text)?));
        }
        Ok(Some(lanes))
    }

    /// Does what would have helped, or takes it back.
    pub(crate) fn help(&mut self, on: bool) {
        self.story = self.story.as_ref().filter(|_| on && !self.helped).map(Story::helped);
        self.helped = on;
        self.at = 0;
    }

    /// The caption that is shown.
    pub(crate) fn caption(&self) -> Option<&Caption> {
        self.captions().get(self.at)
    }

    /// All captions.
    pub(crate) fn captions(&self) -> &[Caption] {
        self.story.as_ref().map(|story| story.captions.as_slice()).unwrap_or_default()
    }

    /// The time of a caption, and the step that it explains, where it has one: its lane and its number.
    ///
    /// # Errors
    /// When no step fits.
    pub(crate) fn moment(&self, stage: &Stage, caption: usize) -> Result<(i64, Option<(usize, usize)>), Problem> {
        let missing = || {
            let path = format!("{}.story.json captions[{caption}]", self.name);
            Problem::new(path, "Invalid value: no step of that lane fits its rule, about and nth")
        };
        let (Some(story), Some(this)) = (&self.story, self.captions().get(caption)) else { return Ok((0, None)) };
        match this.rule.as_deref() {
            None => return Ok((stage.end(), None)),
            Some("start") => return Ok((this.after.0, None)),
            Some(_) => {}
        }
        let lane = usize::try_from(this.lane).unwrap_or(usize::MAX);
        let played = stage.lanes.get(lane).ok_or_else(missing)?;
        let pin = story
            .pin_of(caption)
            .and_then(|pin| index_at(list_field(&played.played, "pins"), pin))
            .ok_or_else(missing)?;
        let step = played.film.steps.get(pin).ok_or_else(missing)?;
        Ok((step.time.saturating_add(this.after.0), Some((lane, pin))))
    }

    /// The last caption whose time has come; of those that came together, the first.
    pub(crate) fn at_time(&self, stage: &Stage, now: i64) -> usize {
        let mut found = (0, i64::MIN);
        for caption in 0..self.captions().len() {
            match self.moment(stage, caption) {
                Ok((time, _)) if time <= now && time > found.1 => found = (caption, time),
                Ok((time, _)) if time <= now => {}
                _ => break,
            }
        }
        found.0
    }

    /// Whether the last caption is shown.
    pub(crate) fn is_last(&self) -> bool {
        self.at.saturating_add(1) >= self.captions().len()
    }

    /// Draws the words. `away`: when the caption was, where the playhead is elsewhere; `forked`: what is said instead of
    /// captions that no longer fit.
    pub(crate) fn view(&self, away: Option<i64>, forked: Option<Vec<Html>>) -> Vec<Html> {
        let Some(story) = &self.story else { return Vec::new() };
        // What the story says of itself no longer is so, and going on in it takes back what was done.
        let title = if forked.is_some() { "away" } else { "" };
        let turn = match forked {
            Some(_) => vec![button("unfork", "go", "", text("Back to what happened"))],
            None => self.view_turn(away),
        };
        let sayings = self.view_sayings(story, away, forked);
        let caption = vec![el("div", &[("class", "sayings")], sayings), el("div", &[("class", "turn")], turn)];
        vec![
            el("div", &[("class", "which")], self.view_which()),
            words("h1", &[("?class", title)], &story.title),
            el("div", &[("class", "caption")], caption),
        ]
    }

    /// Which of the stories this is, counted from 1.
    fn number(&self) -> usize {
        self.entries.iter().position(|entry| entry.name == self.name).map_or(0, |index| index.saturating_add(1))
    }

    /// The choice of a story.
    fn view_which(&self) -> Vec<Html> {
        let mut options = Vec::new();
        for entry in &self.entries {
            let selected = if entry.name == self.name { "selected" } else { "" };
            options.push(words("option", &[("value", &entry.name), ("?selected", selected)], &entry.label));
        }
        let label = format!("Story {} of {}", self.number(), self.entries.len());
        vec![
            words("label", &[("for", "story")], &label),
            el("select", &[("id", "story"), ("key", &self.name)], options),
        ]
    }

    /// The captions. All of them lie in one place, which is as high as the longest: nothing below moves.
    fn view_sayings(&self, story: &Story, away: Option<i64>, forked: Option<Vec<Html>>) -> Vec<Html> {
        let mut sayings = Vec::new();
        for (index, caption) in story.captions.iter().enumerate() {
            let mut said = vec![words("h2", &[], &caption.title), words("p", &[], &caption.text)];
            if let Some(helps) = story.helps.as_ref().filter(|_| index.saturating_add(1) == story.captions.len()) {
                said.push(if self.helped {
                    offer("", "help-off", "Back to what happened")
                } else {
                    offer(&helps.text, "help-on", &helps.button)
                });
            }
            let class = match away {
                _ if index != self.at || forked.is_some() => "unsaid",
                Some(_) => "said away",
                None => "said",
            };
            sayings.push(el("div", &[("class", class)], said));
        }
        sayings.extend(forked.map(|said| el("div", &[("class", "said")], said)));
        sayings
    }

    /// From caption to caption, and from the last one to the next story.
    fn view_turn(&self, away: Option<i64>) -> Vec<Html> {
        let count = self.captions().len();
        let of = format!("{} of {count}", self.at.saturating_add(1));
        let mut turn = vec![words("span", &[("class", "place")], &of)];
        if let Some(time) = away {
            turn.push(button("again", "link", "", text(&format!("at {} · back to it", format_clock(time)))));
        }
        if count > 1 {
            let off = if self.at == 0 { "disabled" } else { "" };
            let back = [("type", "button"), ("data-do", "caption -1"), ("class", "plain"), ("?disabled", off)];
            turn.push(words("button", &back, "Back"));
            // After the last story comes the first.
            turn.push(match self.entries.get(self.number()).or(self.entries.first()).filter(|_| self.is_last()) {
                Some(next) => button(&format!("story {}", next.name), "go", &next.label, text("Next story")),
                None => button("caption 1", "go", "", text("Next")),
            });
        }
        turn
    }

    /// What the story is about, and where it happened.
    pub(crate) fn about(&self) -> Option<Html> {
        let story = self.story.as_ref()?;
        let mut about = vec![text(&story.summary)];
        for source in &story.source {
            about.push(text(" "));
            about.push(words("a", &[("href", &*source.href), ("rel", "noreferrer")], &source.text));
        }
        let about = vec![words("h2", &[], "About this story"), el("p", &[("class", "summary")], about)];
        Some(el("section", &[("class", "story about"), ("key", "about")], about))
    }

    /// What there is instead of a story that could not be read.
    pub(crate) fn missed(&self) -> Vec<Html> {
        let mut stories = Vec::new();
        for entry in &self.entries {
            let place = format!("#stories/{}", entry.name);
            stories.push(el("li", &[], vec![words("a", &[("href", &place)], &entry.label)]));
        }
        let title = format!("There is no story “{}”", self.name);
        vec![words("h1", &[], &title), el("ul", &[("class", "stories")], stories)]
    }
}

fn json(name: &str, text: &str) -> Result<Value, Problem> {
    if let Some(wrong) = text.strip_prefix('!') {
        return Err(Problem::new(name, wrong));
    }
    serde_json::from_str(text).map_err(|error| Problem::new(name, format!("can't be read as JSON: {error}")))
}
