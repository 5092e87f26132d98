//! Records what a player says of a story. It asks as the page does.

use changeover_wire::{
    Explanation, InspectRequest, LaneInspection, PinnedTables, PlayedLane, Problem, RecordedChapter, RecordedLane,
    Recording, Request, Response, StepLevel, StepRef, Table,
};
use serde_json::Value;

use crate::hooks::LoadedStory;
use crate::playback::{Lane, Playback};
use crate::player_client::LaneRequest;
use crate::story::Story;
use crate::story_text::DraggedNumbers;

/// Records a story. `read` reads a file in the folder of the stories; `answer` is a player, which also returns the track of a
/// lane.
///
/// # Errors
/// If a file is missing or invalid, or a caption fits no step.
pub fn record(
    name: &str,
    read: impl Fn(&str) -> Result<Value, Problem>,
    answer: &mut dyn FnMut(Request) -> (Response, Vec<i32>),
) -> Result<Recording, Problem> {
    let story = Story::parse(&read(&format!("{name}.story.json"))?)?;
    let scenarios = story.all_scenario_names(name).into_iter().map(|scenario| {
        let value = read(&format!("{scenario}.json"))?;
        Ok((scenario, value))
    });
    let scenarios = scenarios.collect::<Result<_, Problem>>()?;
    let loaded = LoadedStory::new(name.to_owned(), story, scenarios);
    let mut recorder = Recorder { answer, generation: 0, recording: Recording::default() };
    for (version, story) in loaded.versions() {
        for chapter in 0..story.chapter_count() {
            let requests = loaded.lane_requests(version, chapter, DraggedNumbers::default());
            let lanes = recorder.record_lanes(&requests, story)?;
            recorder.recording.chapters.push(RecordedChapter { version, chapter, lanes });
        }
    }
    Ok(recorder.recording)
}

struct Recorder<'a> {
    answer: &'a mut dyn FnMut(Request) -> (Response, Vec<i32>),
    generation: u32,
    recording: Recording,
}

impl Recorder<'_> {
    /// Records the lanes of a chapter.
    fn record_lanes(&mut self, requests: &[LaneRequest], story: &Story) -> Result<Vec<RecordedLane>, Problem> {
        self.generation = self.generation.saturating_add(1);
        let played = requests.iter().enumerate().map(|(lane, request)| self.play(lane, request));
        let played = played.collect::<Result<Vec<_>, Problem>>()?;
        let lanes = requests.iter().zip(&played);
        let lanes = lanes.map(|(request, (played, track))| Lane::new(request.info.clone(), played.clone(), track));
        let playback = Playback::new(self.generation, lanes.collect());
        let earlier_steps = playback.lane_frames(playback.at_position(0));
        let lanes = played.into_iter().zip(earlier_steps).enumerate();
        let mut lanes: Vec<RecordedLane> = lanes
            .map(|(lane, ((played, track), earlier_steps))| {
                let steps = playback.lanes.get(lane).map_or(0, |lane| lane.track.steps.len());
                self.record_frames(lane, steps, RecordedLane::new(played, track, earlier_steps))
            })
            .collect();
        for (caption, _) in story.captions().enumerate() {
            let Some(moment) = story.caption_moment(&playback, caption)? else { continue };
            let Some(StepRef { lane, step }) = moment.explain else { continue };
            let frame = playback.moment_at(lane, moment.time).frame;
            let tables = self.inspect(lane, frame, StepLevel::Wave, moment.explain).tables;
            let tables = self.number_of_tables(tables);
            if let Some(lane) = lanes.get_mut(lane) {
                lane.pinned_tables.push(PinnedTables { frame, step, tables });
            }
        }
        Ok(lanes)
    }

    fn play(&mut self, lane: usize, request: &LaneRequest) -> Result<(PlayedLane, Vec<i32>), Problem> {
        let request = request.play_request(self.generation, lane, self.generation, &[]);
        match (self.answer)(Request::Play(request)) {
            (Response::Played(played), track) => Ok((*played, track)),
            (Response::Refused(refusal), _) => Err(refusal.problem),
            (Response::Inspected(_), _) => Err(Problem::new("", "a request for a lane was answered by an inspection")),
        }
    }

    /// Records what a lane shows at each frame.
    fn record_frames(&mut self, lane: usize, steps: usize, mut recorded: RecordedLane) -> RecordedLane {
        for frame in recorded.first_frame()..=steps {
            let last = frame.saturating_sub(1);
            let wave = self.inspect(lane, frame, StepLevel::Wave, None);
            recorded.explained_back.push(last.saturating_sub(wave.explained.unwrap_or(last)));
            recorded.wave_tables.push(self.number_of_tables(wave.tables));
            let write = self.inspect(lane, frame, StepLevel::Write, None);
            recorded.write_tables.push(self.number_of_tables(write.tables));
            if let Some(explanation) = write.explanation {
                let explanation = Explanation { time: 0, ..explanation };
                recorded.explanations.push(number_of(&mut self.recording.explanations, explanation));
            }
        }
        recorded
    }

    fn inspect(&mut self, lane: usize, frame: usize, level: StepLevel, explain: Option<StepRef>) -> LaneInspection {
        let mut frames = vec![0; lane];
        frames.push(frame);
        let request = InspectRequest { generation: self.generation, frames, level, explain, tables: true };
        match (self.answer)(Request::Inspect(request)) {
            (Response::Inspected(mut inspection), _) => inspection.lanes.pop().unwrap_or_default(),
            _ => LaneInspection::default(),
        }
    }

    /// The number of a list of tables.
    fn number_of_tables(&mut self, tables: Vec<Table>) -> usize {
        let numbers = tables.into_iter().map(|table| number_of(&mut self.recording.tables, table)).collect();
        number_of(&mut self.recording.table_lists, numbers)
    }
}

/// The number of an item in a list, to which it is added if it is new.
fn number_of<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len().saturating_sub(1)
    })
}
