//! The client of the player, which runs in a worker. Lanes are requested one after the other; newer requests replace those
//! that wait, and stop one that takes long. What is recorded needs no worker.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use changeover_wire::{
    Fork, InspectRequest, Inspection, LaneSource, Pin, PlayRequest, PlayedLane, Recording, Refusal, Request, Response,
    StepLevel, StepRef, WorkloadName,
};
use gloo_timers::callback::Timeout;
use js_sys::{Array, Function, Int32Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Event, MessageEvent, Worker};
use yew::Callback;

use crate::dom::worker_failure;
use crate::playback::{Lane, LaneInfo, Playback};

/// A lane that is to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneRequest {
    /// Its name and what is different in it.
    pub info: LaneInfo,
    /// What is played.
    pub source: LaneSource,
    /// The scenario of a [`LaneSource::Attached`].
    pub attached: Option<ScenarioText>,
    /// The workload to show; without it, the first Deployment, or else the first CronJob or Job.
    pub workload: Option<WorkloadName>,
    /// Nanoseconds from the scenario's start to the page's time 0.
    pub begin: i64,
    /// Steps to find.
    pub pins: Vec<Pin>,
    /// Where the answers are recorded; none if they are not.
    pub recorded: Option<RecordedLanes>,
}

impl Default for LaneRequest {
    fn default() -> Self {
        let source = LaneSource::Scenario(serde_json::Value::Null);
        let (info, pins) = (LaneInfo::default(), Vec::new());
        Self { info, source, attached: None, workload: None, begin: 0, pins, recorded: None }
    }
}

impl LaneRequest {
    /// What is played, if it is a scenario.
    pub const fn scenario(&self) -> Option<&serde_json::Value> {
        match &self.source {
            LaneSource::Scenario(scenario) => Some(scenario),
            LaneSource::Rollout { .. } | LaneSource::Attached => None,
        }
    }

    /// The player's request. `shown`: the generation on the page; `forks`: what else the user does.
    pub fn play_request(&self, generation: u32, lane: usize, shown: u32, forks: &[Fork]) -> PlayRequest {
        PlayRequest {
            generation,
            lane,
            shown,
            source: self.source.clone(),
            workload: self.workload.clone(),
            begin: self.begin,
            forks: forks.to_vec(),
            pins: self.pins.clone(),
        }
    }
}

/// The chapter of a recording that has what a player says of lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedLanes {
    /// The recording.
    pub recording: Rc<Recording>,
    /// The number of the chapter.
    pub chapter: usize,
}

/// A scenario as JSON, which the page hands from one worker to another without reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioText(pub JsValue);

/// What the player reports.
pub enum PlayerEvent {
    /// All lanes were played.
    Played(Playback),
    /// A lane can't be played.
    Refused(Refusal),
    /// What the lanes show.
    Inspected(Inspection),
    /// The player does not work.
    Failed(String),
}

/// A lane whose answer is no longer needed is stopped after this many milliseconds.
const PATIENCE: u32 = 250;

/// The client of the player.
pub struct PlayerClient {
    /// The worker; none until something is asked that is not recorded.
    worker: RefCell<Option<Worker>>,
    start_worker: Function,
    queue: RefCell<Queue>,
    /// The listener to the events; none until a page asks for lanes.
    listener: RefCell<Option<Callback<PlayerEvent>>>,
    /// Why the player does not work, until a listener knows.
    failure: RefCell<Option<String>>,
    /// Stops a lane that takes too long.
    interruption: RefCell<Option<Timeout>>,
    this: Weak<Self>,
    on_message: Closure<dyn FnMut(MessageEvent)>,
    on_error: Closure<dyn FnMut(Event)>,
}

impl PartialEq for PlayerClient {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl PlayerClient {
    /// The client of a worker. `start_worker` starts one where there is none, or another one.
    pub fn new(worker: Option<Worker>, start_worker: Function) -> Rc<Self> {
        let client = Rc::new_cyclic(|weak: &Weak<Self>| {
            let (messages, errors) = (weak.clone(), weak.clone());
            let on_message = Closure::new(move |event: MessageEvent| {
                if let Some(client) = messages.upgrade() {
                    client.receive(&event.data());
                }
            });
            let on_error = Closure::new(move |event: Event| {
                if let Some(client) = errors.upgrade() {
                    client.fail(worker_failure(&event, "worker.js"));
                }
            });
            Self {
                worker: RefCell::new(worker),
                start_worker,
                queue: RefCell::default(),
                listener: RefCell::default(),
                failure: RefCell::default(),
                interruption: RefCell::default(),
                this: weak.clone(),
                on_message,
                on_error,
            }
        });
        client.listen();
        client
    }

    /// Starts the worker, unless it runs: something will be asked that is not recorded.
    pub fn load(&self) {
        if self.worker.borrow().is_none() {
            let started = self.start_worker.call0(&JsValue::NULL).ok().and_then(|worker| worker.dyn_into().ok());
            self.worker.replace(started);
            self.listen();
        }
    }

    fn listen(&self) {
        let worker = self.worker.borrow();
        let Some(worker) = &*worker else { return };
        worker.set_onmessage(Some(self.on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(self.on_error.as_ref().unchecked_ref()));
    }

    /// Sends all events to a listener from now on.
    pub fn set_listener(&self, listener: Callback<PlayerEvent>) {
        if let Some(failure) = self.failure.take() {
            listener.emit(PlayerEvent::Failed(failure));
        }
        self.listener.replace(Some(listener));
    }

    /// Sends events to no listener.
    pub fn clear_listener(&self) {
        self.listener.take();
    }

    fn emit(&self, event: PlayerEvent) {
        let listener = self.listener.borrow().clone();
        match (listener, event) {
            (Some(listener), event) => listener.emit(event),
            (None, PlayerEvent::Failed(message)) => drop(self.failure.replace(Some(message))),
            (None, _) => {}
        }
    }

    /// The worker is broken: what it was asked gets no answer, and what is asked next gets another worker.
    fn fail(&self, reason: String) {
        if let Some(worker) = self.worker.take() {
            worker.terminate();
        }
        self.queue.borrow_mut().forget_requests();
        self.emit(PlayerEvent::Failed(reason));
    }

    /// Plays lanes instead of those that are being played. `shown`: the generation on the page.
    pub fn play(&self, lanes: Vec<LaneRequest>, forks: &[Fork], shown: u32) {
        let request = self.queue.borrow_mut().play(lanes, forks, shown);
        if self.queue.borrow().has_recorded_lanes() {
            // Like every answer, it comes after what is asked now.
            let client = self.this.clone();
            spawn_local(async move {
                if let Some(client) = client.upgrade() {
                    client.play_recorded_lanes();
                }
            });
        }
        if request.is_none() {
            // The lane that is being played is not waited for any more, but it may end soon.
            let client = self.this.clone();
            let interruption = Timeout::new(PATIENCE, move || {
                if let Some(client) = client.upgrade() {
                    client.interrupt();
                }
            });
            self.interruption.replace(Some(interruption));
        }
        self.send(request);
    }

    fn play_recorded_lanes(&self) {
        let playback = self.queue.borrow_mut().play_recorded_lanes();
        if let Some(playback) = playback {
            self.emit(PlayerEvent::Played(playback));
        }
    }

    /// Stops a lane whose answer is no longer needed, and plays the next one.
    fn interrupt(&self) {
        if self.queue.borrow().plays_outdated_lane() {
            self.restart();
            let request = self.queue.borrow_mut().next_lane();
            self.send(request);
        }
    }

    /// Asks what the lanes show, once the answer before has arrived.
    pub fn inspect(&self, request: InspectRequest) {
        let recorded = self.queue.borrow().inspect_recorded_lanes(&request);
        if let Some(inspection) = recorded {
            return self.emit(PlayerEvent::Inspected(inspection));
        }
        let request = self.queue.borrow_mut().inspect(request);
        self.send(request);
    }

    /// Replaces the worker, whose timelines are lost.
    fn restart(&self) {
        if let Some(worker) = self.worker.take() {
            worker.terminate();
        }
        self.queue.borrow_mut().forget_requests();
        self.load();
    }

    fn send(&self, request: Option<Request>) {
        let Some(request) = request else { return };
        self.load();
        let worker = self.worker.borrow().clone();
        let Some(worker) = worker else { return self.fail(String::from("worker.js can't be started")) };
        match serde_json::to_string(&request) {
            Ok(text) => {
                let message = Array::of1(&JsValue::from_str(&text));
                if matches!(&request, Request::Play(PlayRequest { source: LaneSource::Attached, .. }))
                    && let Some(ScenarioText(scenario)) = self.queue.borrow().attached_scenario()
                {
                    message.push(&scenario);
                }
                // Strings can always be posted.
                drop(worker.post_message(&message));
            }
            Err(error) => self.emit(PlayerEvent::Failed(error.to_string())),
        }
    }

    fn receive(&self, data: &JsValue) {
        let message: &Array = data.unchecked_ref();
        let text = message.get(0).as_string().unwrap_or_default();
        let response = match serde_json::from_str(&text) {
            Ok(response) => response,
            Err(error) => return self.emit(PlayerEvent::Failed(error.to_string())),
        };
        let track = message.get(1).dyn_into::<Int32Array>().map(|track| track.to_vec()).unwrap_or_default();
        let (event, next) = self.queue.borrow_mut().receive(response, &track);
        self.send(next);
        if let Some(event) = event {
            self.emit(event);
        }
    }
}

/// Which requests are open, and which one comes next.
#[derive(Default)]
struct Queue {
    /// Grows with every request for lanes. Responses of earlier generations are ignored.
    generation: u32,
    pending_lanes: Option<PendingLanes>,
    /// The generation of the lane that the player is playing, even if its answer is no longer needed.
    lane_requested: Option<u32>,
    pending_inspection: Option<PendingInspection>,
    /// The lanes whose answers are recorded: those on the page, and the new ones.
    recorded: Vec<ShownRecording>,
}

/// Lanes that were played from a recording.
struct ShownRecording {
    generation: u32,
    lanes: Vec<Rc<Lane>>,
    recorded: RecordedLanes,
}

/// The lanes of the current generation, until all have arrived.
struct PendingLanes {
    requests: Vec<LaneRequest>,
    forks: Vec<Fork>,
    shown: u32,
    done: Vec<Lane>,
}

impl PendingLanes {
    /// Where they are recorded: only as long as the user does nothing else.
    fn recorded(&self) -> Option<&RecordedLanes> {
        self.requests.first().and_then(|request| request.recorded.as_ref()).filter(|_| self.forks.is_empty())
    }
}

/// An inspection that was requested, and the one that follows.
struct PendingInspection {
    sent: InspectRequest,
    next: Option<InspectRequest>,
}

impl Queue {
    fn play(&mut self, requests: Vec<LaneRequest>, forks: &[Fork], shown: u32) -> Option<Request> {
        // What is shown may come from another player.
        self.generation = self.generation.max(shown).saturating_add(1);
        self.pending_lanes = Some(PendingLanes { requests, forks: forks.to_vec(), shown, done: Vec::new() });
        self.next_lane()
    }

    fn next_lane(&mut self) -> Option<Request> {
        let pending = self.pending_lanes.as_ref().filter(|pending| pending.recorded().is_none())?;
        let lane = pending.done.len();
        let request = pending.requests.get(lane).filter(|_| self.lane_requested.is_none())?;
        self.lane_requested = Some(self.generation);
        Some(Request::Play(request.play_request(self.generation, lane, pending.shown, &pending.forks)))
    }

    /// Whether the lanes that are asked for are recorded.
    fn has_recorded_lanes(&self) -> bool {
        self.pending_lanes.as_ref().is_some_and(|pending| pending.recorded().is_some())
    }

    /// The lanes that are asked for, if they are recorded.
    fn play_recorded_lanes(&mut self) -> Option<Playback> {
        let pending = self.pending_lanes.take_if(|pending| pending.recorded().is_some())?;
        let recorded = pending.recorded()?;
        let chapter = recorded.recording.chapters.get(recorded.chapter)?;
        let lanes = pending.requests.iter().zip(&chapter.lanes).enumerate().map(|(lane, (request, recorded))| {
            let played = PlayedLane { generation: self.generation, lane, ..recorded.played.clone() };
            Lane::new(request.info.clone(), played, &recorded.track)
        });
        let playback = Playback::new(self.generation, lanes.collect());
        self.recorded.retain(|shown| shown.generation == pending.shown);
        let (generation, lanes) = (self.generation, playback.lanes.clone());
        self.recorded.push(ShownRecording { generation, lanes, recorded: recorded.clone() });
        Some(playback)
    }

    /// What the lanes show, if they are recorded.
    fn inspect_recorded_lanes(&self, request: &InspectRequest) -> Option<Inspection> {
        let shown = self.recorded.iter().find(|shown| shown.generation == request.generation)?;
        let RecordedLanes { recording, chapter } = &shown.recorded;
        let time = |lane: usize, step: usize| {
            let step = shown.lanes.get(lane).and_then(|lane| lane.track.steps.get(step));
            step.map_or(0, |step| step.time)
        };
        Some(recording.inspect(recording.chapters.get(*chapter)?, request, time))
    }

    /// The scenario of the lane that is being requested.
    fn attached_scenario(&self) -> Option<ScenarioText> {
        let pending = self.pending_lanes.as_ref()?;
        pending.requests.get(pending.done.len())?.attached.clone()
    }

    /// Whether the player plays a lane whose answer is no longer needed.
    fn plays_outdated_lane(&self) -> bool {
        self.lane_requested.is_some_and(|generation| generation != self.generation)
    }

    fn inspect(&mut self, request: InspectRequest) -> Option<Request> {
        if let Some(pending) = &mut self.pending_inspection {
            pending.next = (request != pending.sent).then_some(request);
            return None;
        }
        self.pending_inspection = Some(PendingInspection { sent: request.clone(), next: None });
        Some(Request::Inspect(request))
    }

    /// The worker was replaced: nothing will be answered.
    fn forget_requests(&mut self) {
        self.lane_requested = None;
        self.pending_inspection = None;
    }

    fn receive(&mut self, response: Response, track: &[i32]) -> (Option<PlayerEvent>, Option<Request>) {
        match response {
            Response::Played(played) => {
                self.lane_requested = None;
                let pending = self.pending_lanes.as_mut().filter(|_| played.generation == self.generation);
                if let Some(pending) = pending {
                    let info = pending.requests.get(pending.done.len()).map(|request| request.info.clone());
                    pending.done.push(Lane::new(info.unwrap_or_default(), *played, track));
                    if pending.done.len() == pending.requests.len() {
                        let lanes = std::mem::take(&mut pending.done);
                        self.pending_lanes = None;
                        return (Some(PlayerEvent::Played(Playback::new(self.generation, lanes))), None);
                    }
                }
                (None, self.next_lane())
            }
            Response::Refused(refusal) => {
                self.lane_requested = None;
                if refusal.generation != self.generation {
                    return (None, self.next_lane());
                }
                self.pending_lanes = None;
                (Some(PlayerEvent::Refused(refusal)), None)
            }
            Response::Inspected(inspection) => {
                let next = self.pending_inspection.take().and_then(|pending| pending.next);
                let next = next.and_then(|next| self.inspect(next));
                (Some(PlayerEvent::Inspected(inspection)), next)
            }
        }
    }
}

/// The inspection of what is shown.
pub fn inspect_request(
    playback: &Playback,
    playhead: crate::playback::Playhead,
    level: StepLevel,
    explain: Option<StepRef>,
    tables: bool,
) -> InspectRequest {
    InspectRequest { generation: playback.generation, frames: playback.lane_frames(playhead), level, explain, tables }
}

#[cfg(test)]
mod tests {
    use changeover_player::Player;
    use changeover_wire::{Problem, Totals};

    use super::*;
    use crate::hooks::LoadedStory;
    use crate::recorder::record;
    use crate::story_state::StoryVersion;
    use crate::story_text::{Draggable, DraggedNumbers};
    use crate::tests::scenario_file;

    fn lanes(count: usize) -> Vec<LaneRequest> {
        vec![LaneRequest::default(); count]
    }

    fn played(generation: u32, lane: usize) -> Response {
        Response::Played(Box::new(PlayedLane {
            generation,
            lane,
            workload: None,
            columns: None,
            replica_sets: Vec::new(),
            pods: Vec::new(),
            nodes: Vec::new(),
            cordoned_nodes: Vec::new(),
            lost_nodes: Vec::new(),
            totals: Totals::default(),
            cut_reason: None,
            forks: Vec::new(),
            pins: Vec::new(),
        }))
    }

    fn requested(request: Option<Request>) -> (u32, usize) {
        match request {
            Some(Request::Play(request)) => (request.generation, request.lane),
            other => panic!("a lane is requested, not {other:?}"),
        }
    }

    #[test]
    fn lanes_are_requested_one_after_the_other() {
        let mut queue = Queue::default();
        assert_eq!(requested(queue.play(lanes(2), &[], 0)), (1, 0));
        let (event, next) = queue.receive(played(1, 0), &[]);
        assert!(event.is_none());
        assert_eq!(requested(next), (1, 1));
        let (event, next) = queue.receive(played(1, 1), &[]);
        assert!(matches!(event, Some(PlayerEvent::Played(playback)) if playback.lanes.len() == 2));
        assert_eq!(next, None);
    }

    #[test]
    fn only_the_last_of_waiting_requests_is_played() {
        let mut queue = Queue::default();
        assert!(queue.play(lanes(1), &[], 0).is_some());
        assert!(!queue.plays_outdated_lane());
        assert_eq!([queue.play(lanes(1), &[], 0), queue.play(lanes(1), &[], 0)], [None, None]);
        assert!(queue.plays_outdated_lane());
        let (event, next) = queue.receive(played(1, 0), &[]);
        assert!(event.is_none(), "it was replaced");
        assert_eq!(requested(next), (3, 0));
    }

    #[test]
    fn a_problem_ends_its_generation_only() {
        let mut queue = Queue::default();
        queue.play(lanes(2), &[], 0);
        queue.play(lanes(2), &[], 0);
        let refused = |generation| {
            Response::Refused(Refusal { generation, lane: 0, problem: Problem::new("spec.replicas", "no") })
        };
        let (event, next) = queue.receive(refused(1), &[]);
        assert!(event.is_none());
        assert_eq!(requested(next), (2, 0));
        let (event, next) = queue.receive(refused(2), &[]);
        assert!(matches!(event, Some(PlayerEvent::Refused(refusal)) if refusal.problem.path == "spec.replicas"));
        assert_eq!(next, None);
    }

    #[test]
    fn only_the_last_of_waiting_inspections_is_requested() {
        let mut queue = Queue::default();
        let inspection = |frame| InspectRequest {
            generation: 1,
            frames: vec![frame],
            level: StepLevel::Wave,
            explain: None,
            tables: false,
        };
        assert!(queue.inspect(inspection(1)).is_some());
        assert_eq!([queue.inspect(inspection(2)), queue.inspect(inspection(3))], [None, None]);
        let answer = || Response::Inspected(Inspection { generation: 1, lanes: Vec::new() });
        let (_, next) = queue.receive(answer(), &[]);
        assert_eq!(next, Some(Request::Inspect(inspection(3))));
        assert_eq!(queue.inspect(inspection(3)), None, "that one is open");
        assert_eq!(queue.receive(answer(), &[]).1, None);
    }

    /// A story with its recording, as the page gets both.
    fn recorded_story(name: &str) -> LoadedStory {
        let mut player = Player::new();
        let mut answer = |request| {
            let response = player.respond(request);
            (response, player.take_track())
        };
        let read = |file: &str| Ok(scenario_file(file.trim_end_matches(".json")));
        let recording = record(name, read, &mut answer).unwrap();
        let file = serde_json::to_string(&recording).unwrap();
        let story = crate::story::Story::parse(&scenario_file(&format!("{name}.story"))).unwrap();
        let names = story.all_scenario_names(name).into_iter();
        let scenarios = names.map(|name| (name.clone(), scenario_file(&name))).collect();
        let mut loaded = LoadedStory::new(name.to_owned(), story, scenarios);
        loaded.recording = Rc::new(serde_json::from_str(&file).unwrap());
        loaded
    }

    /// The lanes as a player plays them.
    fn played_live(player: &mut Player, queue: &mut Queue, lanes: Vec<LaneRequest>) -> Playback {
        let lanes = lanes.into_iter().map(|lane| LaneRequest { recorded: None, ..lane });
        let mut request = queue.play(lanes.collect(), &[], 0);
        loop {
            let response = player.respond(request.expect("a lane is asked for"));
            match queue.receive(response, &player.take_track()) {
                (Some(PlayerEvent::Played(playback)), None) => return playback,
                (None, next) => request = next,
                _ => panic!("all lanes can be played"),
            }
        }
    }

    #[test]
    fn what_is_recorded_is_what_a_player_says() {
        let mut compared = 0;
        for entry in scenario_file("index").as_array().unwrap() {
            let name = entry["name"].as_str().unwrap();
            let loaded = recorded_story(name);
            for (version, story) in loaded.versions() {
                for chapter in 0..story.chapter_count() {
                    let requests = loaded.lane_requests(version, chapter, DraggedNumbers::default());
                    let (mut player, mut live, mut queue) = (Player::new(), Queue::default(), Queue::default());
                    let expected = played_live(&mut player, &mut live, requests.clone());
                    assert_eq!(queue.play(requests, &[], 0), None, "{name} needs no player");
                    let playback = queue.play_recorded_lanes().unwrap();
                    assert_eq!(playback.lanes, expected.lanes, "{name} {version:?} {chapter}");

                    let levels = [StepLevel::Wave, StepLevel::Write];
                    let positions = playback.lockstep.first_position..=playback.lockstep.end();
                    let shown = positions.map(|position| (playback.at_position(position), None));
                    let moments =
                        (0..story.captions().count()).filter_map(|it| story.caption_moment(&playback, it).unwrap());
                    let captions = moments.map(|moment| (playback.at_time(moment.time), moment.explain));
                    for (playhead, explain) in shown.chain(captions) {
                        for level in levels {
                            let request = inspect_request(&playback, playhead, level, explain, true);
                            let recorded = queue.inspect_recorded_lanes(&request).unwrap();
                            let Response::Inspected(said) = player.respond(Request::Inspect(request.clone())) else {
                                panic!("an inspection is answered by one")
                            };
                            assert_eq!(recorded, said, "{name} {version:?} {chapter}: {request:?}");
                            compared += 1;
                        }
                    }
                }
            }
        }
        assert!(compared > 1000, "{compared}");
    }

    #[test]
    fn what_the_reader_does_needs_a_player() {
        let loaded = recorded_story("fifteen");
        let lanes = |dragged: DraggedNumbers| loaded.lane_requests(StoryVersion::Original, 0, dragged);
        let mut queue = Queue::default();
        assert_eq!(queue.play(lanes(DraggedNumbers::default()), &[], 0), None);
        let shown = queue.play_recorded_lanes().unwrap();
        let fork = Fork { at: 1, action: serde_json::json!({ "pause": {} }), target: None };
        let request = queue.play(lanes(DraggedNumbers::default()), std::slice::from_ref(&fork), shown.generation);
        assert_eq!(requested(request), (2, 0));
        assert!(queue.play_recorded_lanes().is_none());
        // What is on the page meanwhile is explained as before.
        let request = inspect_request(&shown, shown.at_time(shown.end_time()), StepLevel::Wave, None, false);
        assert!(queue.inspect_recorded_lanes(&request).unwrap().lanes[0].explanation.is_some());
        // The answer comes too late: the reader has gone back.
        assert_eq!(queue.play(lanes(DraggedNumbers::default()), &[], shown.generation), None);
        assert!(matches!(queue.receive(played(2, 0), &[]), (None, None)));
        assert_eq!(queue.play_recorded_lanes().unwrap().generation, 3);
        let dragged = DraggedNumbers::default().with(0, Draggable::Replicas, 5);
        assert_eq!(requested(queue.play(lanes(dragged), &[], 3)), (4, 0));
    }
}
