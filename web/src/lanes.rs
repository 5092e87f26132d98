//! The lanes: one Deployment under three sets of rules, played side by side.

use std::rc::Rc;

use changeover_core::Problem;
use changeover_core::object::{DeploymentPodReplacementPolicy as Policy, Time};
use changeover_core::timeline::{Cursor, EndReason, Step, Timeline};

use crate::beats::Beats;
use crate::chart::Same;
use crate::form::{Form, NAME};
use crate::history::History;
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
    Rules {
        name: "TerminationStarted",
        differs: "the same, but written down",
        policy: Some(Policy::TerminationStarted),
    },
    Rules {
        name: "TerminationComplete",
        differs: "waits until pods are gone",
        policy: Some(Policy::TerminationComplete),
    },
];

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

    /// The step that is explained: the last one worth it, or with `fine` the last one; and the last one, where that is
    /// another.
    pub(crate) fn steps(&self, fine: bool) -> (Option<&Step>, Option<&Step>) {
        let timeline = &self.timeline.0;
        let Some(last) = self.cursor.frame().checked_sub(1) else { return (None, None) };
        let notable = self.history.0.notable.get(..=last).unwrap_or_default();
        let explained = if fine { last } else { notable.iter().rposition(Option::is_some).unwrap_or(last) };
        let since = (explained != last).then(|| timeline.steps.get(last)).flatten();
        (timeline.steps.get(explained), since)
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
