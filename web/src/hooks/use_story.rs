use std::rc::Rc;

use changeover_core::json::decode;
use changeover_wire::{Problem, Recording, StoryVersion};
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;
use yew::{UseStateHandle, hook, use_context, use_effect_with, use_state};

use crate::files::{FirstPicture, StoryFiles};
use crate::player_client::{LaneRequest, RecordedLanes};
use crate::story::{Story, StoryEntry, needs_workbench};
use crate::story_text::DraggedNumbers;

/// The file that lists all stories.
const INDEX: &str = "index.json";

/// A story with the scenarios of its lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedStory {
    /// All stories.
    pub entries: Vec<StoryEntry>,
    /// The name of this one.
    pub name: String,
    /// The story.
    pub story: Rc<Story>,
    /// The story with what would have helped, if anything would have.
    remedy: Option<Rc<Story>>,
    /// The scenarios that both need, by name.
    scenarios: Vec<(String, Value)>,
    /// What a player says of both.
    pub recording: Rc<Recording>,
    /// What is shown of it until it has been simulated.
    pub first_picture: Option<FirstPicture>,
}

impl LoadedStory {
    /// A story and the scenarios that it needs, without its recording and what surrounds it.
    pub fn new(name: String, story: Story, scenarios: Vec<(String, Value)>) -> Self {
        let (remedy, story) = (story.remedy().map(Rc::new), Rc::new(story));
        let recording = Rc::default();
        Self { entries: Vec::new(), name, story, remedy, scenarios, recording, first_picture: None }
    }

    /// Its versions.
    pub fn versions(&self) -> impl Iterator<Item = (StoryVersion, &Rc<Story>)> {
        let remedy = self.remedy.as_ref().map(|remedy| (StoryVersion::Remedy, remedy));
        [(StoryVersion::Original, &self.story)].into_iter().chain(remedy)
    }

    /// A version of the story.
    pub fn version(&self, version: StoryVersion) -> &Rc<Story> {
        match version {
            StoryVersion::Original => &self.story,
            StoryVersion::Remedy => self.remedy.as_ref().unwrap_or(&self.story),
        }
    }

    /// The requests for the lanes of a version's chapter.
    pub fn lane_requests(&self, version: StoryVersion, chapter: usize, dragged: DraggedNumbers) -> Vec<LaneRequest> {
        let story = self.version(version);
        let recorded = self.recording.position(version, chapter).filter(|_| dragged.is_empty());
        let recorded = recorded.map(|chapter| RecordedLanes { recording: self.recording.clone(), chapter });
        let names = story.scenario_names(chapter, &self.name);
        let lanes = names.enumerate().filter_map(|(lane, name)| {
            let (_, scenario) = self.scenarios.iter().find(|(other, _)| other == name)?;
            let request = story.lane_request(chapter, lane, scenario.clone(), dragged);
            Some(LaneRequest { recorded: recorded.clone(), ..request })
        });
        lanes.collect()
    }

    /// Whether the small player can't play all of its lanes.
    pub fn needs_workbench(&self) -> bool {
        self.scenarios.iter().any(|(_, scenario)| needs_workbench(scenario))
    }
}

/// What has arrived of a story.
#[derive(Clone, Debug, PartialEq)]
pub enum StoryLoad {
    /// Nothing yet.
    Loading,
    /// All of it.
    Loaded(Rc<LoadedStory>),
    /// There is no such story.
    Unknown(Vec<StoryEntry>),
    /// A file is missing or broken.
    Failed(Problem),
}

/// Fetches a story, or the first one. `attempt`: another number tries again.
#[hook]
pub fn use_story(name: Option<String>, attempt: u32) -> UseStateHandle<StoryLoad> {
    let files = use_context::<Rc<StoryFiles>>();
    let load = use_state(|| StoryLoad::Loading);
    let setter = load.setter();
    use_effect_with((name, attempt), move |(name, _)| {
        let name = name.clone();
        let current = Rc::new(std::cell::Cell::new(true));
        setter.set(StoryLoad::Loading);
        spawn_local({
            let current = current.clone();
            async move {
                let Some(files) = files else { return };
                let loaded = fetch_story(&files, name).await.unwrap_or_else(StoryLoad::Failed);
                // The user may have gone to another story meanwhile.
                if current.get() {
                    setter.set(loaded);
                }
            }
        });
        move || current.set(false)
    });
    load
}

async fn fetch_story(files: &StoryFiles, name: Option<String>) -> Result<StoryLoad, Problem> {
    let entries: Vec<StoryEntry> = decode(&files.json(INDEX).await?, INDEX)?;
    let name = name.or_else(|| entries.first().map(|entry| entry.name.clone())).unwrap_or_default();
    if !entries.iter().any(|entry| entry.name == name) {
        return Ok(StoryLoad::Unknown(entries));
    }
    let file = format!("{name}.story.json");
    let story = Story::parse(&files.json(&file).await?)
        .map_err(|problem| Problem::new(format!("{file} {}", problem.path), problem.message))?;
    let mut scenarios = Vec::new();
    for scenario in story.all_scenario_names(&name) {
        let value = files.json(&format!("{scenario}.json")).await?;
        scenarios.push((scenario, value));
    }
    let recording = Rc::new(files.recording(&name).await?);
    let first_picture = files.first_picture(&name);
    let loaded = LoadedStory::new(name, story, scenarios);
    Ok(StoryLoad::Loaded(Rc::new(LoadedStory { entries, recording, first_picture, ..loaded })))
}
