//! The lanes: one Deployment under three sets of rules, played side by side.

use std::rc::Rc;

use changeover_core::Problem;
use changeover_core::object::{DeploymentPodReplacementPolicy as Policy, Time};
use changeover_core::reason::Mark;
use changeover_core::timeline::{Cursor, EndReason, Step, Timeline};

use crate::beats::Beats;
use crate::chart::Same;
use crate::form::{Form, NAME};
use crate::history::{History, same_decision};
use crate::picture::Picture;

/// What a lane is called, what differs in it, and its rules.
pub(crate) struct Rules {
    /// Its name.
    pub name: &'static str,
    /// What differs.
    pub differs: &'static str,
    /// The policy, where one is set.
    pub policy: Option<Policy>,
}

/// The lanes of the first visit.
pub(crate) const RULES: [Rules; 3] = [
    Rules { name: "Field not set", differs: "as today: replaces at once", policy: None },
    Rules { name: "TerminationStarted", differs: "the same, in writing", policy: Some(Policy::TerminationStarted) },
    Rules {
        name: "TerminationComplete",
        differs: "waits until pods are gone",
        policy: Some(Policy::TerminationComplete),
    },
];

/// How the playhead came where it stands: this says which of an instant's steps is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Time ran, or somebody scrubbed: many steps passed at once.
    Time,
    /// From decision to decision.
    Decision,
    /// From write to write.
    Write,
}

/// One lane.
pub(crate) struct Lane {
    /// Its rules.
    pub rules: &'static Rules,
    /// What happens in it.
    pub timeline: Same<Timeline>,
    /// What the picture needs of it.
    pub history: Same<History>,
    /// Where it stands.
    cursor: Cursor,
}

/// All lanes on one time axis.
pub(crate) struct Lanes {
    /// The lanes.
    pub lanes: Vec<Lane>,
    /// Their steps, in lockstep.
    pub beats: Beats,
    /// The start of virtual time.
    pub start: Time,
}

impl Lanes {
    /// Plays what was typed under each of the rules.
    ///
    /// # Errors
    /// The core's, about what was typed.
    pub(crate) fn of(form: &Form) -> Result<Self, Problem> {
        let lanes: Vec<Lane> = RULES.iter().map(|rules| Lane::of(form, rules)).collect::<Result<_, _>>()?;
        let pairs: Vec<_> = lanes.iter().map(|lane| (&*lane.timeline.0, &*lane.history.0)).collect();
        let beats = Beats::of(&pairs);
        let start = lanes.first().map_or(Time(0), |lane| lane.timeline.0.scenario.start);
        Ok(Self { lanes, beats, start })
    }

    /// When the last thing happens.
    pub(crate) fn end(&self) -> Time {
        self.beats.0.last().map_or(self.start, |beat| beat.time)
    }

    /// The most pods at once, or the limit where that is more: what all scales must hold.
    pub(crate) fn most(&self) -> i32 {
        let limits = self.lanes.iter().flat_map(|lane| &lane.history.0.points).map(|point| point.marks.limit);
        self.lanes.iter().map(|lane| lane.history.0.peak).chain(limits).max().unwrap_or(0)
    }

    /// The most pods that any row has at once.
    pub(crate) fn slots(&self) -> usize {
        self.lanes.iter().flat_map(|lane| &lane.history.0.rows).map(|row| row.slots).max().unwrap_or(0)
    }

    /// Takes every lane to a position.
    pub(crate) fn seek(&mut self, position: usize) {
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            lane.cursor.seek(&lane.timeline.0, self.beats.frame(position, index));
        }
    }

    /// The moment that tells the most: the first at which the most pods of the first lane are above the limit, else the
    /// middle.
    pub(crate) fn telling(&self) -> Time {
        let over = self.lanes.first().and_then(|lane| lane.history.0.first_peak_over());
        over.unwrap_or_else(|| self.start.plus(self.end().since(self.start).div_euclid(2)))
    }
}

impl Lane {
    fn of(form: &Form, rules: &'static Rules) -> Result<Self, Problem> {
        let timeline = Rc::new(Timeline::run(form.scenario(rules.policy)?)?);
        let history = Rc::new(History::of(&timeline, NAME));
        let cursor = timeline.cursor();
        Ok(Self { rules, timeline: Same(timeline), history: Same(history), cursor })
    }

    /// What it shows at a time.
    pub(crate) fn picture(&self, now: Time) -> Picture {
        Picture::of(&self.history.0, self.cursor.state(), NAME, now)
    }

    /// The step that is explained, and the last one where that is another.
    pub(crate) fn steps(&self, pace: Pace) -> (Option<&Step>, Option<&Step>) {
        let steps = &self.timeline.0.steps;
        let Some(last) = self.cursor.frame().checked_sub(1) else { return (None, None) };
        if pace == Pace::Write {
            return (steps.get(last), None);
        }
        let notable = self.history.0.notable.get(..=last).unwrap_or_default();
        let mut chosen = notable.iter().rposition(Option::is_some).unwrap_or(last);
        if pace == Pace::Time {
            chosen = self.against_limit(chosen).unwrap_or(chosen);
        }
        // One decision may take many writes: its first one has the numbers of the decision.
        let run = steps.get(..=chosen).unwrap_or_default();
        let first = run
            .iter()
            .rev()
            .zip(run.iter().rev().skip(1))
            .take_while(|(later, step)| same_decision(step, later))
            .count();
        let since = (chosen != last).then(|| steps.get(last)).flatten();
        (steps.get(chosen.saturating_sub(first)), since)
    }

    /// The last decision at the same instant that was taken against the limit: what the ruler is about.
    fn against_limit(&self, chosen: usize) -> Option<usize> {
        let steps = self.timeline.0.steps.get(..=chosen)?;
        let now = steps.last()?.time;
        let instant = steps.iter().rev().take_while(|step| step.time == now);
        let meets = |step: &Step| step.reason.rule.operands.iter().any(|operand| operand.mark == Some(Mark::Limit));
        instant.enumerate().find(|(_, step)| meets(step)).and_then(|(back, _)| chosen.checked_sub(back))
    }

    /// The row that the explained step is about.
    pub(crate) fn row_about(&self, step: &Step) -> Option<Rc<str>> {
        step.reason
            .operands()
            .find(|(operand, _)| operand.name == "replicaSet")
            .map(|(_, value)| Rc::from(value.to_string()))
    }

    /// Why the timeline ends before everything is quiet.
    pub(crate) fn cut(&self) -> Option<&str> {
        let end = &self.timeline.0.end;
        (end.reason != EndReason::Quiet).then_some(end.message.as_str())
    }
}

#[cfg(test)]
mod tests {
    use changeover_core::timeline::Series;

    use super::*;
    use crate::form::Field;

    fn lanes() -> Lanes {
        Lanes::of(&Form::default()).unwrap()
    }

    fn over(lane: &Lane) -> i32 {
        lane.history.0.points.iter().map(crate::history::Point::over).max().unwrap()
    }

    #[test]
    fn the_limit_is_passed_in_the_first_two_lanes_and_kept_in_the_third() {
        let lanes = lanes();
        assert!(over(&lanes.lanes[0]) > 0);
        assert_eq!(over(&lanes.lanes[0]), over(&lanes.lanes[1]));
        assert_eq!(over(&lanes.lanes[2]), 0);
    }

    #[test]
    fn the_counts_are_the_cores() {
        let mut form = Form::default();
        form.set(Field::MinReady, String::from("7"));
        form.set(Field::Jitter, String::from("40"));
        for lane in Lanes::of(&form).unwrap().lanes {
            let series = Series::of(&lane.timeline.0, "default", NAME);
            assert_eq!(lane.history.0.peak, series.peak());
            let start = lane.timeline.0.scenario.start;
            for (point, next) in series.points.iter().zip(series.points.iter().skip(1)) {
                // Of an instant, the chart shows the end.
                if start < point.time && point.time < next.time {
                    let ours = lane.history.0.at(point.time).unwrap();
                    assert_eq!(ours.holding(), point.counts.holding(), "{:?}", point.time);
                    let available: i32 = ours.rows.iter().map(|row| row.available).sum();
                    assert_eq!(available, point.counts.available, "{:?}", point.time);
                    assert_eq!(ours.marks, point.marks);
                }
            }
        }
    }

    #[test]
    fn the_picture_has_the_counts_of_the_chart() {
        let mut lanes = lanes();
        for position in (0..=lanes.beats.len())
            .filter(|position| {
                let time = |position: usize| lanes.beats.beat(position).map(|beat| beat.time);
                time(*position) != time(*position + 1)
            })
            .collect::<Vec<_>>()
        {
            lanes.seek(position);
            let now = lanes.beats.beat(position).map_or(lanes.start, |beat| beat.time);
            for lane in &lanes.lanes {
                assert_eq!(lane.picture(now).holding(), lane.history.0.at(now).unwrap().holding(), "{position}");
            }
        }
    }

    #[test]
    fn a_slot_has_one_tile_and_a_tile_keeps_its_slot() {
        let mut lanes = lanes();
        let mut places = std::collections::BTreeMap::new();
        for position in 0..=lanes.beats.len() {
            lanes.seek(position);
            let now = lanes.beats.beat(position).map_or(lanes.start, |beat| beat.time);
            for (index, lane) in lanes.lanes.iter().enumerate() {
                for (row_index, row) in lane.picture(now).rows.iter().enumerate() {
                    let mut slots: Vec<usize> = row.tiles.iter().map(|tile| tile.slot).collect();
                    slots.sort_unstable();
                    slots.dedup();
                    assert_eq!(slots.len(), row.tiles.len());
                    assert!(slots.iter().all(|slot| *slot < row.slots));
                    for tile in &row.tiles {
                        let place = *places.entry((index, tile.name.clone())).or_insert((row_index, tile.slot));
                        assert_eq!(place, (row_index, tile.slot));
                    }
                }
            }
        }
    }

    #[test]
    fn lanes_step_together_and_in_the_order_of_time() {
        let lanes = lanes();
        assert!(lanes.beats.0.windows(2).all(|pair| pair[0].time <= pair[1].time));
        let last = lanes.beats.0.last().unwrap();
        for (index, lane) in lanes.lanes.iter().enumerate() {
            assert_eq!(last.frames[index], lane.timeline.0.len());
        }
        // The first two do the same: they act together, always.
        assert!(lanes.beats.0.iter().all(|beat| beat.acting[0] == beat.acting[1]));
        assert!(lanes.beats.0.iter().all(|beat| beat.acting.contains(&true)));
    }

    #[test]
    fn steps_go_from_decision_to_decision_and_back() {
        let beats = lanes().beats;
        let mut there = vec![0];
        while *there.last().unwrap() < beats.len() && beats.next_notable(*there.last().unwrap()) <= beats.len() {
            let next = beats.next_notable(*there.last().unwrap());
            if beats.beat(next).is_none_or(|beat| beat.notable.is_none()) {
                break;
            }
            there.push(next);
        }
        let mut back = vec![*there.last().unwrap()];
        while *back.last().unwrap() > 0 {
            back.push(beats.previous_notable(*back.last().unwrap()));
        }
        back.reverse();
        assert_eq!(there, back);
        assert_eq!(beats.notable_until(beats.len()), there.len() - 1);
    }

    #[test]
    fn time_explains_the_decision_that_met_the_limit() {
        let mut lanes = lanes();
        lanes.seek(lanes.beats.position_at(lanes.telling()));
        let rules: Vec<_> = lanes.lanes.iter().map(|lane| lane.steps(Pace::Time).0.unwrap().reason.rule.id).collect();
        assert_eq!(rules, ["deployment.new.up", "deployment.new.up", "deployment.new.wait.complete"]);
    }

    #[test]
    fn what_is_wrong_is_said_by_the_core_with_the_path_of_the_field() {
        let cases = [
            (Field::Replicas, "-1", "spec.replicas"),
            (Field::Replicas, "1099511627776", "spec.replicas"),
            (Field::Replicas, "ten", "spec.replicas"),
            // More than the page plays.
            (Field::Replicas, "50000", "spec.replicas"),
            (Field::Replicas, "1000000000", "spec.replicas"),
            (Field::Surge, "abc%", "spec.strategy.rollingUpdate.maxSurge"),
            (Field::Unavailable, "-5", "spec.strategy.rollingUpdate.maxUnavailable"),
            (Field::Grace, "soon", "spec.template.spec.terminationGracePeriodSeconds"),
            (Field::MinReady, "soon", "spec.minReadySeconds"),
            (Field::Ready, "soon", "kubelet[0].ready"),
            (Field::Ready, "", "kubelet[0].ready"),
            (Field::Jitter, "-3", "kubelet[0].jitterPercent"),
        ];
        for (field, text, path) in cases {
            let mut form = Form::default();
            form.set(field, String::from(text));
            let problem = Lanes::of(&form).err().unwrap_or_else(|| panic!("{field:?} {text:?} is taken"));
            assert_eq!(problem.path, path, "{text}: {problem}");
            assert_eq!(crate::form::field_of(&problem), Some(field));
        }
        let mut both = Form::default();
        both.set(Field::Surge, String::from("0"));
        both.set(Field::Unavailable, String::from("0"));
        assert_eq!(Lanes::of(&both).err().unwrap().path, "spec.strategy.rollingUpdate.maxUnavailable");
    }

    #[test]
    fn everything_that_can_be_typed_ends() {
        let cases = [
            (Field::Replicas, "0"),
            (Field::Replicas, "300"),
            (Field::Surge, "100%"),
            (Field::Strategy, "Recreate"),
            (Field::Ready, "never"),
            (Field::Ready, "0"),
            (Field::Grace, "0"),
            (Field::Jitter, "100"),
        ];
        for (field, text) in cases {
            let mut form = Form::default();
            form.set(field, String::from(text));
            let lanes = Lanes::of(&form).unwrap();
            assert!(lanes.lanes.iter().all(|lane| lane.cut().is_none()), "{field:?} {text}");
        }
    }
}
