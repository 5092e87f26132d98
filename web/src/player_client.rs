//! What the players were asked and did not answer yet. Lanes are asked for one after the other, and so is what there is to
//! see: of what is asked meanwhile only the last.

use changeover_core::Problem;
use changeover_wire::{i64_field, index_value, list_field, object, str_at};
use serde_json::Value;

use crate::playback::{Lane, LaneInfo};

/// A question, and whom it is for.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    /// Which player.
    pub target: &'static str,
    /// What `changeover_wire` says.
    pub body: String,
}

/// The player that plays what is shown.
pub(crate) const PLAYER: &str = "player";

/// One beside it that plays what is typed, in small: it answers at once, however busy the other is.
pub(crate) const CHECKER: &str = "checker";

/// See the module.
#[derive(Default)]
pub(crate) struct PlayerClient {
    /// Counts what was asked for: answers to what was asked before come too late.
    generation: i64,
    pending_lanes: Option<PendingLanes>,
    /// Whether the player is at a lane, wanted or not.
    lane_requested: bool,
    check_requested: bool,
    pending_inspection: Option<PendingInspection>,
}

/// Lanes that are being played.
struct PendingLanes {
    requests: Vec<(LaneInfo, Value)>,
    done: Vec<Lane>,
}

/// What there is to see was asked, and is asked next.
struct PendingInspection {
    sent: String,
    next: Option<String>,
}

/// What came of an answer to a question for lanes.
pub(crate) enum PlayResponse {
    /// It was no longer wanted, or there are more to come; what is asked next.
    Next(Option<Request>),
    /// All of them are there, of that generation.
    Complete(i64, Vec<Lane>),
}

impl PlayerClient {
    /// Whether something is not answered.
    pub(crate) fn is_busy(&self) -> bool {
        self.pending_inspection.is_some() || self.check_requested || self.pending_lanes.is_some()
    }

    /// Whether lanes are on their way.
    pub(crate) fn is_loading(&self) -> bool {
        self.pending_lanes.is_some()
    }

    /// Whether what there is to see is.
    pub(crate) fn is_inspecting(&self) -> bool {
        self.pending_inspection.is_some()
    }

    /// Asks for lanes, in place of those that are on their way; `how`: what is the same for all of them. The question, once
    /// the player can take it.
    pub(crate) fn play(&mut self, mut lanes: Vec<(LaneInfo, Value)>, how: &[(&str, Value)]) -> Option<Request> {
        self.cancel();
        for (lane, (_, play)) in lanes.iter_mut().enumerate() {
            set_field(play, "generation", self.generation.into());
            set_field(play, "lane", index_value(lane));
            for (name, value) in how {
                set_field(play, name, value.clone());
            }
        }
        self.pending_lanes = Some(PendingLanes { requests: lanes, done: Vec::new() });
        self.next_lane()
    }

    fn next_lane(&mut self) -> Option<Request> {
        let coming = self.pending_lanes.as_ref().filter(|_| !self.lane_requested)?;
        let (_, play) = coming.requests.get(coming.done.len())?;
        self.lane_requested = true;
        Some(Request { target: PLAYER, body: object(vec![("play", play.clone())]).to_string() })
    }

    /// Asks whether what was asked for can be played at all, by something that is as right or wrong and takes no time.
    pub(crate) fn check(&mut self, mut play: Value) -> Request {
        self.check_requested = true;
        set_field(&mut play, "generation", self.generation.into());
        Request { target: CHECKER, body: object(vec![("play", play)]).to_string() }
    }

    /// What is on its way is no longer wanted.
    pub(crate) fn cancel(&mut self) {
        self.generation = self.generation.saturating_add(1);
        self.pending_lanes = None;
        self.check_requested = false;
    }

    /// Asks what there is to see, now or once it was said what there was.
    pub(crate) fn inspect(&mut self, look: Value) -> Option<Request> {
        let text = object(vec![("look", look)]).to_string();
        if let Some(looking) = &mut self.pending_inspection {
            looking.next = (text != looking.sent).then_some(text);
            return None;
        }
        self.pending_inspection = Some(PendingInspection { sent: text.clone(), next: None });
        Some(Request { target: PLAYER, body: text })
    }

    /// The player said what there is to see. What is asked next.
    pub(crate) fn inspected(&mut self) -> Option<Request> {
        let text = self.pending_inspection.take()?.next?;
        self.pending_inspection = Some(PendingInspection { sent: text.clone(), next: None });
        Some(Request { target: PLAYER, body: text })
    }

    /// The checker answered. Why it can't be played, and is no longer asked for; nothing where it can, or where nobody
    /// waits for that any more.
    pub(crate) fn checked(&mut self, answer: &Value) -> Option<Problem> {
        if !self.check_requested || i64_field(answer, "generation") != self.generation {
            return None;
        }
        self.check_requested = false;
        let problem = response_problem(answer)?;
        self.pending_lanes = None;
        Some(problem)
    }

    /// The player played a lane.
    ///
    /// # Errors
    /// Why it can't be played; no further lanes are asked for.
    pub(crate) fn lane_played(&mut self, answer: Value, film: &[i32]) -> Result<PlayResponse, Problem> {
        self.lane_requested = false;
        let here = i64_field(&answer, "generation") == self.generation;
        let Some(coming) = self.pending_lanes.as_mut().filter(|_| here) else {
            return Ok(PlayResponse::Next(self.next_lane()));
        };
        if let Some(problem) = response_problem(&answer) {
            self.pending_lanes = None;
            return Err(problem);
        }
        let rules = coming.requests.get(coming.done.len()).map(|(rules, _)| rules.clone()).unwrap_or_default();
        coming.done.push(Lane::new(rules, answer, film));
        if coming.done.len() < coming.requests.len() {
            return Ok(PlayResponse::Next(self.next_lane()));
        }
        let lanes = std::mem::take(&mut coming.done);
        self.pending_lanes = None;
        Ok(PlayResponse::Complete(self.generation, lanes))
    }
}

fn set_field(play: &mut Value, name: &str, value: Value) {
    if let Some(map) = play.as_object_mut() {
        map.insert(String::from(name), value);
    }
}

/// What an answer says is wrong.
fn response_problem(answer: &Value) -> Option<Problem> {
    let problem = list_field(answer, "problem");
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

    fn played(asking: &mut PlayerClient, generation: i64) -> PlayResponse {
        asking.lane_played(json!({"generation": generation, "sets": [], "rows": []}), &[]).ok().unwrap()
    }

    #[test]
    fn lanes_are_asked_for_one_after_the_other() {
        let mut asking = PlayerClient::default();
        let first = body(asking.play(lanes(2), &[("byNode", json!(true))]));
        assert_eq!(first, json!({"play": {"scenario": {}, "generation": 1, "lane": 0, "byNode": true}}));
        let PlayResponse::Next(next) = played(&mut asking, 1) else { panic!("there is a second lane") };
        assert_eq!(body(next)["play"]["lane"], 1);
        assert!(asking.is_busy());
        let PlayResponse::Complete(1, lanes) = played(&mut asking, 1) else { panic!("both are there") };
        assert_eq!((lanes.len(), asking.is_busy()), (2, false));
    }

    #[test]
    fn of_lanes_that_are_asked_for_meanwhile_only_the_last_are_played() {
        let mut asking = PlayerClient::default();
        assert!(asking.play(lanes(1), &[]).is_some());
        assert_eq!([asking.play(lanes(1), &[]), asking.play(lanes(1), &[])], [None, None]);
        let PlayResponse::Next(next) = played(&mut asking, 1) else { panic!("that was not wanted any more") };
        assert_eq!(body(next)["play"]["generation"], 3);
        assert!(matches!(played(&mut asking, 3), PlayResponse::Complete(3, _)));
    }

    #[test]
    fn what_was_withdrawn_comes_too_late() {
        let mut asking = PlayerClient::default();
        asking.play(lanes(1), &[]);
        asking.check(json!({}));
        asking.cancel();
        assert!(!asking.is_busy());
        assert!(matches!(played(&mut asking, 1), PlayResponse::Next(None)));
        assert_eq!(asking.checked(&json!({"generation": 1, "problem": ["a", "b"]})), None);
    }

    #[test]
    fn what_can_not_be_played_ends_it() {
        let mut asking = PlayerClient::default();
        asking.play(lanes(2), &[]);
        let wrong = asking.lane_played(json!({"generation": 1, "problem": ["spec.replicas", "no"]}), &[]);
        assert_eq!(wrong.err(), Some(Problem::new("spec.replicas", "no")));
        assert!(!asking.is_busy());
    }

    #[test]
    fn what_is_wrong_is_known_before_the_player_comes_to_it() {
        let mut asking = PlayerClient::default();
        asking.play(lanes(1), &[]);
        asking.play(lanes(1), &[]);
        assert_eq!(body(Some(asking.check(json!({}))))["play"]["generation"], 2);
        let wrong = asking.checked(&json!({"generation": 2, "problem": ["spec.replicas", "no"]}));
        assert_eq!(wrong, Some(Problem::new("spec.replicas", "no")));
        assert!(matches!(played(&mut asking, 1), PlayResponse::Next(None)), "that is not asked for any more");
        asking.play(lanes(1), &[]);
        asking.check(json!({}));
        assert_eq!(asking.checked(&json!({"generation": 3})), None);
        assert!(asking.is_loading(), "it can be played");
    }

    #[test]
    fn of_what_is_asked_meanwhile_only_the_last_is_asked() {
        let mut asking = PlayerClient::default();
        let mut look = |frame: i64| asking.inspect(json!({"frames": [frame]}));
        assert!(look(1).is_some());
        assert_eq!([look(2), look(3)], [None, None]);
        assert_eq!(body(asking.inspected())["look"]["frames"], json!([3]));
        assert_eq!(asking.inspect(json!({"frames": [3]})), None, "that is being answered");
        assert_eq!(asking.inspected(), None);
        assert!(!asking.is_inspecting());
    }
}
