//! What a lane shows at one moment: its rows with their tiles, the counts and the marks.

use std::rc::Rc;

use changeover_core::controller::deployment::REVISION;
use changeover_core::object::{Deployment, Pod, ReplicaSet, Time};
use changeover_core::timeline::{Counts, Marks, PodState, State};

use crate::history::{History, Life};
use crate::scale::{float, whole};

/// The annotation that says which pods go first.
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// How finely a tile shows its progress.
const LEVELS: f64 = 24.0;

/// How many colours there are for revisions.
const HUES: usize = 4;

/// A lane at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Picture {
    /// The ReplicaSets, a row each, the oldest on top.
    pub rows: Vec<Rc<Row>>,
    /// The marks on the ruler.
    pub marks: Marks,
}

/// A ReplicaSet and its pods.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row {
    /// Its name; empty as long as it does not exist.
    pub name: Rc<str>,
    /// Its revision.
    pub revision: Rc<str>,
    /// Which colour it has.
    pub hue: usize,
    /// Its spec.replicas.
    pub wants: i32,
    /// Its pods by state.
    pub counts: Counts,
    /// Its pods.
    pub tiles: Vec<Tile>,
    /// How many slots the row has.
    pub slots: usize,
}

impl Row {
    /// Pods that neither ended nor terminate.
    pub(crate) const fn has(&self) -> i32 {
        self.counts.holding().saturating_sub(self.counts.terminating)
    }
}

/// A pod.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tile {
    /// Its name.
    pub name: Rc<str>,
    /// Its place in the row.
    pub slot: usize,
    /// Its state.
    pub state: PodState,
    /// How far it is: towards readiness, towards availability, or towards the end of its grace period. From 0 to 1, in
    /// steps, so that a tile is drawn again only when it looks different.
    pub level: f64,
    /// Its deletion cost, where one is set.
    pub cost: Option<Rc<str>>,
}

impl Picture {
    /// The picture of a Deployment.
    pub(crate) fn of(history: &History, state: &State, name: &str, now: Time) -> Self {
        let Some(deployment) = state.deployments().find(|deployment| *deployment.metadata.name == *name) else {
            return Self::default();
        };
        let mut rows: Vec<Row> = history.rows.iter().enumerate().map(empty_row).collect();
        for replica_set in state.replica_sets_of(deployment) {
            let index = history.row_of(&replica_set.metadata.uid);
            if let Some(row) = index.and_then(|index| rows.get_mut(index)) {
                fill_row(row, replica_set);
            }
        }
        for pod in state.pods() {
            let life = history.lives.of(pod);
            if let Some((life, row)) = life.and_then(|life| rows.get_mut(life.row).map(|row| (life, row))) {
                let tile = tile(pod, life, deployment, now);
                row.counts.add(tile.state, 1);
                row.tiles.push(tile);
            }
        }
        Self { rows: rows.into_iter().map(Rc::new).collect(), marks: Marks::of(deployment) }
    }

    /// All pods by state.
    pub(crate) fn total(&self, state: PodState) -> i32 {
        self.rows.iter().fold(0, |sum, row| sum.saturating_add(count(&row.counts, state)))
    }

    /// Pods that hold resources.
    pub(crate) fn holding(&self) -> i32 {
        self.rows.iter().fold(0, |sum, row| sum.saturating_add(row.counts.holding()))
    }

    /// How many of them are above the limit.
    pub(crate) fn over(&self) -> i32 {
        self.holding().saturating_sub(self.marks.limit).max(0)
    }
}

/// The pods in a state.
pub(crate) const fn count(counts: &Counts, state: PodState) -> i32 {
    match state {
        PodState::Available => counts.available,
        PodState::Ready => counts.ready,
        PodState::Starting => counts.starting,
        PodState::Pending => counts.pending,
        PodState::Terminating => counts.terminating,
        PodState::Unknown => counts.unknown,
        PodState::Failed => counts.failed,
        PodState::Succeeded => counts.succeeded,
    }
}

fn empty_row((index, row): (usize, &crate::history::Row)) -> Row {
    Row { hue: index.checked_rem(HUES).unwrap_or(0), slots: row.slots, ..Row::default() }
}

fn fill_row(row: &mut Row, replica_set: &ReplicaSet) {
    row.name = replica_set.metadata.name.clone();
    row.revision = replica_set.metadata.annotation(REVISION).unwrap_or("?").into();
    row.wants = replica_set.spec.replicas;
}

fn tile(pod: &Pod, life: &Life, deployment: &Deployment, now: Time) -> Tile {
    let min_ready = deployment.spec.min_ready_seconds;
    let state = PodState::of(pod, min_ready, now);
    let level = match state {
        PodState::Starting => life.running.zip(life.ready).map_or(0.0, |(from, to)| share(from, to, now)),
        PodState::Ready => {
            let since = life.ready.unwrap_or(now);
            share(since, since.plus_seconds(i64::from(min_ready)), now)
        }
        PodState::Terminating => {
            let since = life.deleting.unwrap_or(now);
            share(since, since.plus_seconds(pod.metadata.deletion_grace_period_seconds.unwrap_or(0)), now)
        }
        _ => 0.0,
    };
    let cost = pod.metadata.annotation(DELETION_COST).map(Rc::from);
    Tile { name: pod.metadata.name.clone(), slot: life.slot, state, level, cost }
}

/// How much of the way from one time to another is over.
fn share(from: Time, to: Time, now: Time) -> f64 {
    let whole_way = float(to.since(from));
    if whole_way <= 0.0 {
        return 1.0;
    }
    let share = (float(now.since(from)) / whole_way).clamp(0.0, 1.0);
    float(whole(share * LEVELS)) / LEVELS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_moves_in_steps_and_stays_inside() {
        assert_eq!(share(Time(0), Time(100), Time(0)), 0.0);
        assert_eq!(share(Time(0), Time(100), Time(50)), 0.5);
        assert_eq!(share(Time(0), Time(100), Time(51)), 0.5);
        assert_eq!(share(Time(0), Time(100), Time(900)), 1.0);
        assert_eq!(share(Time(7), Time(7), Time(7)), 1.0);
    }
}
