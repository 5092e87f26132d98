//! The client of the two players: which requests are open and which one comes next. Lanes are requested one after the other;
//! newer requests replace those that wait.

use changeover_core::Problem;
use changeover_wire::{i64_field, index_value, list_field, object, str_at};
use serde_json::Value;

use crate::playback::{Lane, LaneInfo};

/// A request to one of the players.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    /// [`PLAYER`] or [`CHECKER`].
    pub target: &'static str,
    /// The message, as `changeover_wire` describes it.
    pub body: String,
}

/// The player of the lanes on the page.
pub(crate) const PLAYER: &str = "player";

/// The player that checks what the user types. It plays a small version, so it always answers quickly.
pub(crate) const CHECKER: &str = "checker";

/// The open requests to the players.
#[derive(Default)]
pub(crate) struct PlayerClient {
    /// Grows with every request for lanes. Responses of earlier generations are ignored.
    generation: i64,
    pending_lanes: Option<PendingLanes>,
    /// Whether the player is playing a lane, even a canceled one.
    lane_requested: bool,
    check_requested: bool,
    pending_inspection: Option<PendingInspection>,
}

/// The lanes of the current generation, until all have arrived.
struct PendingLanes {
    requests: Vec<(LaneInfo, Value)>,
    done: Vec<Lane>,
}

/// An inspection that was requested, and the one that follows.
struct PendingInspection {
    sent: String,
    next: Option<String>,
}

/// The player's response to a request for lanes.
pub(crate) enum PlayResponse {
    /// A lane has arrived, or one of an earlier generation; the next request, if there is one.
    Next(Option<Request>),
    /// All lanes of a generation have arrived.
    Complete {
        /// Their generation.
        generation: i64,
        /// The lanes.
        lanes: Vec<Lane>,
    },
}

impl PlayerClient {
    /// Whether any request is open.
    pub(crate) fn is_busy(&self) -> bool {
        self.pending_inspection.is_some() || self.check_requested || self.pending_lanes.is_some()
    }

    /// Whether lanes are requested.
    pub(crate) fn is_loading(&self) -> bool {
        self.pending_lanes.is_some()
    }

    /// Whether an inspection is requested.
    pub(crate) fn is_inspecting(&self) -> bool {
        self.pending_inspection.is_some()
    }

    /// Requests lanes instead of those that are open. `common`: the fields that all of them share. Returns the first
    /// request, unless the player is still busy.
    pub(crate) fn play(&mut self, mut lanes: Vec<(LaneInfo, Value)>, common: &[(&str, Value)]) -> Option<Request> {
        self.cancel();
        for (lane, (_, play)) in lanes.iter_mut().enumerate() {
            set_field(play, "generation", self.generation.into());
            set_field(play, "lane", index_value(lane));
            for (name, value) in common {
                set_field(play, name, value.clone());
            }
        }
        self.pending_lanes = Some(PendingLanes { requests: lanes, done: Vec::new() });
        self.next_lane()
    }

    fn next_lane(&mut self) -> Option<Request> {
        let pending = self.pending_lanes.as_ref().filter(|_| !self.lane_requested)?;
        let (_, play) = pending.requests.get(pending.done.len())?;
        self.lane_requested = true;
        Some(Request { target: PLAYER, body: object(vec![("play", play.clone())]).to_string() })
    }

    /// Requests a check of the lanes, with a request that is as valid or invalid as theirs and takes no time.
    pub(crate) fn check(&mut self, mut play: Value) -> Request {
        self.check_requested = true;
        set_field(&mut play, "generation", self.generation.into());
        Request { target: CHECKER, body: object(vec![("play", play)]).to_string() }
    }

    /// Cancels all requests for lanes.
    pub(crate) fn cancel(&mut self) {
        self.generation = self.generation.saturating_add(1);
        self.pending_lanes = None;
        self.check_requested = false;
    }

    /// Requests an inspection, once the one before has arrived.
    pub(crate) fn inspect(&mut self, inspection: Value) -> Option<Request> {
        let text = object(vec![("inspect", inspection)]).to_string();
        if let Some(pending) = &mut self.pending_inspection {
            pending.next = (text != pending.sent).then_some(text);
            return None;
        }
        self.pending_inspection = Some(PendingInspection { sent: text.clone(), next: None });
        Some(Request { target: PLAYER, body: text })
    }

    /// An inspection has arrived. Returns the next request, if there is one.
    pub(crate) fn inspected(&mut self) -> Option<Request> {
        let text = self.pending_inspection.take()?.next?;
        self.pending_inspection = Some(PendingInspection { sent: text.clone(), next: None });
        Some(Request { target: PLAYER, body: text })
    }

    /// A check has arrived. Returns the problem of the lanes, which are then canceled; none if they are valid, or the check is
    /// outdated.
    pub(crate) fn checked(&mut self, response: &Value) -> Option<Problem> {
        if !self.check_requested || i64_field(response, "generation") != self.generation {
            return None;
        }
        self.check_requested = false;
        let problem = response_problem(response)?;
        self.pending_lanes = None;
        Some(problem)
    }

    /// A lane has arrived.
    ///
    /// # Errors
    /// The problem of the lane; all others are then canceled.
    pub(crate) fn lane_played(&mut self, response: Value, track: &[i32]) -> Result<PlayResponse, Problem> {
        self.lane_requested = false;
        let is_current = i64_field(&response, "generation") == self.generation;
        let Some(pending) = self.pending_lanes.as_mut().filter(|_| is_current) else {
            return Ok(PlayResponse::Next(self.next_lane()));
        };
        if let Some(problem) = response_problem(&response) {
            self.pending_lanes = None;
            return Err(problem);
        }
        let info = pending.requests.get(pending.done.len()).map(|(info, _)| info.clone()).unwrap_or_default();
        pending.done.push(Lane::new(info, response, track));
        if pending.done.len() < pending.requests.len() {
            return Ok(PlayResponse::Next(self.next_lane()));
        }
        let lanes = std::mem::take(&mut pending.done);
        self.pending_lanes = None;
        Ok(PlayResponse::Complete { generation: self.generation, lanes })
    }
}

fn set_field(play: &mut Value, name: &str, value: Value) {
    if let Some(map) = play.as_object_mut() {
        map.insert(String::from(name), value);
    }
}

/// The problem in a response.
fn response_problem(response: &Value) -> Option<Problem> {
    let problem = list_field(response, "problem");
    (!problem.is_empty()).then(|| Problem::new(str_at(problem, 0), str_at(problem, 1)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lanes(count: usize) -> Vec<(LaneInfo, Value)> {
        vec![(LaneInfo::default(), json!({"scenario": {}})); count]
    }

    fn body(question: Option<Request>) -> Value {
        serde_json::from_str(&question.unwrap().body).unwrap()
    }

    fn played(client: &mut PlayerClient, generation: i64) -> PlayResponse {
        client.lane_played(json!({"generation": generation, "replicaSets": [], "rows": []}), &[]).ok().unwrap()
    }

    #[test]
    fn lanes_are_requested_one_after_the_other() {
        let mut client = PlayerClient::default();
        let first = body(client.play(lanes(2), &[("byNode", json!(true))]));
        assert_eq!(first, json!({"play": {"scenario": {}, "generation": 1, "lane": 0, "byNode": true}}));
        let PlayResponse::Next(next) = played(&mut client, 1) else { panic!("there is a second lane") };
        assert_eq!(body(next)["play"]["lane"], 1);
        assert!(client.is_busy());
        let PlayResponse::Complete { generation: 1, lanes } = played(&mut client, 1) else {
            panic!("both have arrived")
        };
        assert_eq!((lanes.len(), client.is_busy()), (2, false));
    }

    #[test]
    fn only_the_last_of_waiting_requests_is_played() {
        let mut client = PlayerClient::default();
        assert!(client.play(lanes(1), &[]).is_some());
        assert_eq!([client.play(lanes(1), &[]), client.play(lanes(1), &[])], [None, None]);
        let PlayResponse::Next(next) = played(&mut client, 1) else { panic!("that one was replaced") };
        assert_eq!(body(next)["play"]["generation"], 3);
        assert!(matches!(played(&mut client, 3), PlayResponse::Complete { generation: 3, .. }));
    }

    #[test]
    fn responses_to_canceled_requests_are_ignored() {
        let mut client = PlayerClient::default();
        client.play(lanes(1), &[]);
        client.check(json!({}));
        client.cancel();
        assert!(!client.is_busy());
        assert!(matches!(played(&mut client, 1), PlayResponse::Next(None)));
        assert_eq!(client.checked(&json!({"generation": 1, "problem": ["a", "b"]})), None);
    }

    #[test]
    fn a_problem_cancels_the_other_lanes() {
        let mut client = PlayerClient::default();
        client.play(lanes(2), &[]);
        let problem = client.lane_played(json!({"generation": 1, "problem": ["spec.replicas", "no"]}), &[]);
        assert_eq!(problem.err(), Some(Problem::new("spec.replicas", "no")));
        assert!(!client.is_busy());
    }

    #[test]
    fn the_checker_finds_a_problem_before_the_player_does() {
        let mut client = PlayerClient::default();
        client.play(lanes(1), &[]);
        client.play(lanes(1), &[]);
        assert_eq!(body(Some(client.check(json!({}))))["play"]["generation"], 2);
        let problem = client.checked(&json!({"generation": 2, "problem": ["spec.replicas", "no"]}));
        assert_eq!(problem, Some(Problem::new("spec.replicas", "no")));
        assert!(matches!(played(&mut client, 1), PlayResponse::Next(None)), "it was canceled");
        client.play(lanes(1), &[]);
        client.check(json!({}));
        assert_eq!(client.checked(&json!({"generation": 3})), None);
        assert!(client.is_loading(), "it is valid");
    }

    #[test]
    fn only_the_last_of_waiting_inspections_is_requested() {
        let mut client = PlayerClient::default();
        let mut inspection = |frame: i64| client.inspect(json!({"frames": [frame]}));
        assert!(inspection(1).is_some());
        assert_eq!([inspection(2), inspection(3)], [None, None]);
        assert_eq!(body(client.inspected())["inspect"]["frames"], json!([3]));
        assert_eq!(client.inspect(json!({"frames": [3]})), None, "that one is open");
        assert_eq!(client.inspected(), None);
        assert!(!client.is_inspecting());
    }
}
