//! What the players were asked and did not answer yet. Lanes are asked for one after the other, and so is what there is to
//! see: of what is asked meanwhile only the last.

use changeover_core::Problem;
use changeover_wire::{i64_field, index_value, list_field, object, str_at};
use serde_json::Value;

use crate::playback::{Lane, Rules};

/// A question, and whom it is for.
#[derive(Debug, PartialEq)]
pub(crate) struct Question {
    /// Which player.
    pub whom: &'static str,
    /// What `changeover_wire` says.
    pub text: String,
}

/// The player that plays what is shown.
pub(crate) const PLAYER: &str = "player";

/// One beside it that plays what is typed, in small: it answers at once, however busy the other is.
pub(crate) const CHECKER: &str = "checker";

/// See the module.
#[derive(Default)]
pub(crate) struct Asking {
    /// Counts what was asked for: answers to what was asked before come too late.
    generation: i64,
    coming: Option<Coming>,
    /// Whether the player is at a lane, wanted or not.
    playing: bool,
    checking: bool,
    looking: Option<Looking>,
}

/// Lanes that are being played.
struct Coming {
    lanes: Vec<(Rules, Value)>,
    done: Vec<Lane>,
}

/// What there is to see was asked, and is asked next.
struct Looking {
    asked: String,
    next: Option<String>,
}

/// What came of an answer to a question for lanes.
pub(crate) enum Played {
    /// It was no longer wanted, or there are more to come; what is asked next.
    Next(Option<Question>),
    /// All of them are there, of that generation.
    All(i64, Vec<Lane>),
}

impl Asking {
    /// Whether something is not answered.
    pub(crate) fn is_busy(&self) -> bool {
        self.looking.is_some() || self.checking || self.coming.is_some()
    }

    /// Whether lanes are on their way.
    pub(crate) fn is_loading(&self) -> bool {
        self.coming.is_some()
    }

    /// Whether what there is to see is.
    pub(crate) fn is_looking(&self) -> bool {
        self.looking.is_some()
    }

    /// Asks for lanes, in place of those that are on their way; `how`: what is the same for all of them. The question, once
    /// the player can take it.
    pub(crate) fn load(&mut self, mut lanes: Vec<(Rules, Value)>, how: &[(&str, Value)]) -> Option<Question> {
        self.withdraw();
        for (lane, (_, play)) in lanes.iter_mut().enumerate() {
            put(play, "generation", self.generation.into());
            put(play, "lane", index_value(lane));
            for (name, value) in how {
                put(play, name, value.clone());
            }
        }
        self.coming = Some(Coming { lanes, done: Vec::new() });
        self.next()
    }

    fn next(&mut self) -> Option<Question> {
        let coming = self.coming.as_ref().filter(|_| !self.playing)?;
        let (_, play) = coming.lanes.get(coming.done.len())?;
        self.playing = true;
        Some(Question { whom: PLAYER, text: object(vec![("play", play.clone())]).to_string() })
    }

    /// Asks whether what was asked for can be played at all, by something that is as right or wrong and takes no time.
    pub(crate) fn check(&mut self, mut play: Value) -> Question {
        self.checking = true;
        put(&mut play, "generation", self.generation.into());
        Question { whom: CHECKER, text: object(vec![("play", play)]).to_string() }
    }

    /// What is on its way is no longer wanted.
    pub(crate) fn withdraw(&mut self) {
        self.generation = self.generation.saturating_add(1);
        self.coming = None;
        self.checking = false;
    }

    /// Asks what there is to see, now or once it was said what there was.
    pub(crate) fn look(&mut self, look: Value) -> Option<Question> {
        let text = object(vec![("look", look)]).to_string();
        if let Some(looking) = &mut self.looking {
            looking.next = (text != looking.asked).then_some(text);
            return None;
        }
        self.looking = Some(Looking { asked: text.clone(), next: None });
        Some(Question { whom: PLAYER, text })
    }

    /// The player said what there is to see. What is asked next.
    pub(crate) fn looked(&mut self) -> Option<Question> {
        let text = self.looking.take()?.next?;
        self.looking = Some(Looking { asked: text.clone(), next: None });
        Some(Question { whom: PLAYER, text })
    }

    /// The checker answered. Why it can't be played, and is no longer asked for; nothing where it can, or where nobody
    /// waits for that any more.
    pub(crate) fn checked(&mut self, answer: &Value) -> Option<Problem> {
        if !self.checking || i64_field(answer, "generation") != self.generation {
            return None;
        }
        self.checking = false;
        let problem = problem(answer)?;
        self.coming = None;
        Some(problem)
    }

    /// The player played a lane.
    ///
    /// # Errors
    /// Why it can't be played; no further lanes are asked for.
    pub(crate) fn played(&mut self, answer: Value, film: &[i32]) -> Result<Played, Problem> {
        self.playing = false;
        let here = i64_field(&answer, "generation") == self.generation;
        let Some(coming) = self.coming.as_mut().filter(|_| here) else { return Ok(Played::Next(self.next())) };
        if let Some(problem) = problem(&answer) {
            self.coming = None;
            return Err(problem);
        }
        let rules = coming.lanes.get(coming.done.len()).map(|(rules, _)| rules.clone()).unwrap_or_default();
        coming.done.push(Lane::new(rules, answer, film));
        if coming.done.len() < coming.lanes.len() {
            return Ok(Played::Next(self.next()));
        }
        let lanes = std::mem::take(&mut coming.done);
        self.coming = None;
        Ok(Played::All(self.generation, lanes))
    }
}

fn put(play: &mut Value, name: &str, value: Value) {
    if let Some(map) = play.as_object_mut() {
        map.insert(String::from(name), value);
    }
}

/// What an answer says is wrong.
fn problem(answer: &Value) -> Option<Problem> {
    let problem = list_field(answer, "problem");
    (!problem.is_empty()).then(|| Problem::new(str_at(problem, 0), str_at(problem, 1)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lanes(count: usize) -> Vec<(Rules, Value)> {
        vec![(Rules::default(), json!({"scenario": {}})); count]
    }

    fn asked(question: Option<Question>) -> Value {
        serde_json::from_str(&question.unwrap().text).unwrap()
    }

    fn played(asking: &mut Asking, generation: i64) -> Played {
        asking.played(json!({"generation": generation, "sets": [], "rows": []}), &[]).ok().unwrap()
    }

    #[test]
    fn lanes_are_asked_for_one_after_the_other() {
        let mut asking = Asking::default();
        let first = asked(asking.load(lanes(2), &[("byNode", json!(true))]));
        assert_eq!(first, json!({"play": {"scenario": {}, "generation": 1, "lane": 0, "byNode": true}}));
        let Played::Next(next) = played(&mut asking, 1) else { panic!("there is a second lane") };
        assert_eq!(asked(next)["play"]["lane"], 1);
        assert!(asking.is_busy());
        let Played::All(1, lanes) = played(&mut asking, 1) else { panic!("both are there") };
        assert_eq!((lanes.len(), asking.is_busy()), (2, false));
    }

    #[test]
    fn of_lanes_that_are_asked_for_meanwhile_only_the_last_are_played() {
        let mut asking = Asking::default();
        assert!(asking.load(lanes(1), &[]).is_some());
        assert_eq!([asking.load(lanes(1), &[]), asking.load(lanes(1), &[])], [None, None]);
        let Played::Next(next) = played(&mut asking, 1) else { panic!("that was not wanted any more") };
        assert_eq!(asked(next)["play"]["generation"], 3);
        assert!(matches!(played(&mut asking, 3), Played::All(3, _)));
    }

    #[test]
    fn what_was_withdrawn_comes_too_late() {
        let mut asking = Asking::default();
        asking.load(lanes(1), &[]);
        asking.check(json!({}));
        asking.withdraw();
        assert!(!asking.is_busy());
        assert!(matches!(played(&mut asking, 1), Played::Next(None)));
        assert_eq!(asking.checked(&json!({"generation": 1, "problem": ["a", "b"]})), None);
    }

    #[test]
    fn what_can_not_be_played_ends_it() {
        let mut asking = Asking::default();
        asking.load(lanes(2), &[]);
        let wrong = asking.played(json!({"generation": 1, "problem": ["spec.replicas", "no"]}), &[]);
        assert_eq!(wrong.err(), Some(Problem::new("spec.replicas", "no")));
        assert!(!asking.is_busy());
    }

    #[test]
    fn what_is_wrong_is_known_before_the_player_comes_to_it() {
        let mut asking = Asking::default();
        asking.load(lanes(1), &[]);
        asking.load(lanes(1), &[]);
        assert_eq!(asked(Some(asking.check(json!({}))))["play"]["generation"], 2);
        let wrong = asking.checked(&json!({"generation": 2, "problem": ["spec.replicas", "no"]}));
        assert_eq!(wrong, Some(Problem::new("spec.replicas", "no")));
        assert!(matches!(played(&mut asking, 1), Played::Next(None)), "that is not asked for any more");
        asking.load(lanes(1), &[]);
        asking.check(json!({}));
        assert_eq!(asking.checked(&json!({"generation": 3})), None);
        assert!(asking.is_loading(), "it can be played");
    }

    #[test]
    fn of_what_is_asked_meanwhile_only_the_last_is_asked() {
        let mut asking = Asking::default();
        let mut look = |frame: i64| asking.look(json!({"frames": [frame]}));
        assert!(look(1).is_some());
        assert_eq!([look(2), look(3)], [None, None]);
        assert_eq!(asked(asking.looked())["look"]["frames"], json!([3]));
        assert_eq!(asking.look(json!({"frames": [3]})), None, "that is being answered");
        assert_eq!(asking.looked(), None);
        assert!(!asking.is_looking());
    }
}
