//! The numbers of what is shown, for spreadsheets, programs and pull requests.

use std::rc::Rc;

use changeover_core::object::Time;
use changeover_core::timeline::Counts;
use changeover_wire::LargeText;
use serde_json::{Value, json};

use super::state::SharedState;
use crate::figures::{compared_trade, figures};
use crate::number::to_f64;
use crate::playback::{Lane, Playback, Snapshot};

/// What can be shared of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Shareable {
    /// The headline.
    pub title: String,
    /// What was set, in a line.
    pub inputs: String,
    /// How files are called, without their ending.
    pub file_name: String,
    /// Everything that was set.
    pub whole: SharedState,
    /// What a link contains of it; none if the YAML can't be parsed.
    pub state: Option<SharedState>,
    /// The manifests as YAML.
    pub manifests: Option<LargeText>,
    /// What is shown.
    pub shown: Shown,
}

/// What a page shows of what was set.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// It shows no picture.
    Nothing,
    /// The picture of what was set before: what is set now can't be played.
    Outdated,
    /// Its picture.
    Current(Rc<Playback>),
}

impl Shown {
    /// What a page with this picture shows; nothing that is invalid can be played.
    pub fn new(playback: Option<Rc<Playback>>, is_invalid: bool) -> Self {
        match (playback, is_invalid) {
            (None, _) => Self::Nothing,
            (Some(_), true) => Self::Outdated,
            (Some(playback), false) => Self::Current(playback),
        }
    }
}

/// Where a file says that its rollout can be opened again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReopenFrom {
    /// A link that holds the state.
    Link(String),
    /// The page, and the name of the file to open there: the state is too large for a link.
    File {
        /// The address of the page.
        page: String,
        /// The name of the file with the state.
        name: String,
    },
}

impl ReopenFrom {
    /// The address that leads there.
    pub fn address(&self) -> &str {
        match self {
            Self::Link(address) | Self::File { page: address, .. } => address,
        }
    }

    fn state_file(&self) -> Option<&str> {
        match self {
            Self::Link(_) => None,
            Self::File { name, .. } => Some(name),
        }
    }
}

/// Everything that files of numbers and comments are made of, as JSON; `share.js` writes them.
pub fn data(shareable: &Shareable, playback: &Playback, reopen_from: &ReopenFrom) -> String {
    let Shareable { title, inputs, .. } = shareable;
    let versions = versions(playback);
    let lanes = playback.lanes.iter().enumerate().map(|(index, lane)| lane_data(playback, index, lane, &versions));
    let trade = compared_trade(playback).map(|trade| json!({ "name": trade.name, "trade": trade.sentences() }));
    json!({
        "title": title,
        "inputs": inputs,
        "link": reopen_from.address(),
        "stateFile": reopen_from.state_file(),
        "versions": versions,
        "trade": trade,
        "lanes": lanes.collect::<Vec<_>>(),
    })
    .to_string()
}

fn lane_data(playback: &Playback, index: usize, lane: &Lane, versions: &[&str]) -> Value {
    let other = playback.compared_with(index).map(|other| playback.totals(other));
    let totals = playback.totals(index);
    let (excess, clock) = (playback.own_excess(index), playback.clock_format());
    let answers = figures(&totals, lane.under, excess, other.as_ref(), playback.has_rollback(), clock);
    let answers = answers.into_iter().map(|it| json!({ "label": it.label, "value": it.value, "note": it.note }));
    let moments = lane.track.instants_from_zero();
    json!({
        "name": lane.info.name,
        "difference": lane.info.difference,
        "proposed": lane.info.proposed,
        "isShown": playback.shown_lanes.contains(&index),
        "answers": answers.collect::<Vec<_>>(),
        "moments": moments.iter().map(|it| moment_data(playback, it, versions)).collect::<Vec<_>>(),
    })
}

fn moment_data(playback: &Playback, snapshot: &Snapshot<'_>, versions: &[&str]) -> Value {
    let counts = MomentCounts::new(snapshot, versions.len());
    let since_change = snapshot.from.time.saturating_sub(playback.totals(0).change);
    json!({
        "seconds": to_f64(since_change) / to_f64(Time::SECOND),
        "available": counts.available,
        "starting": counts.starting,
        "terminating": counts.terminating,
        "pods": snapshot.pods(),
        "atLeast": snapshot.marks.min_available,
        "desired": snapshot.marks.desired,
        "limit": snapshot.marks.limit,
        "over": snapshot.over(),
    })
}

/// The names of the versions that there are.
fn versions(playback: &Playback) -> Vec<&'static str> {
    // Jobs have no versions.
    if playback.lanes.iter().any(|lane| lane.is_of_jobs()) {
        return vec!["running"];
    }
    let most = playback.lanes.iter().map(|lane| lane.track.replica_set_count).max().unwrap_or(0);
    playback.version_names().into_iter().take(most).collect()
}

/// The pods of a moment, as the table on the page counts them.
pub struct MomentCounts {
    /// The available pods of each version.
    pub available: Vec<i32>,
    /// Pods that are not available yet, or not known to be.
    pub starting: i32,
    /// Pods that terminate.
    pub terminating: i32,
}

impl MomentCounts {
    /// The counts of a moment, with that many versions.
    pub fn new(snapshot: &Snapshot<'_>, versions: usize) -> Self {
        let sum = |count: fn(&Counts) -> i32| {
            snapshot.counts.iter().fold(0_i32, |sum, counts| sum.saturating_add(count(counts)))
        };
        // All versions after the last one that has a name are one, as in the picture.
        let mut available = vec![0_i32; versions];
        for (version, counts) in snapshot.counts.iter().enumerate() {
            if let Some(sum) = available.get_mut(version.min(versions.saturating_sub(1))) {
                *sum = sum.saturating_add(counts.available);
            }
        }
        Self {
            available,
            starting: sum(|it| {
                it.ready.saturating_add(it.starting).saturating_add(it.pending).saturating_add(it.unknown)
            }),
            terminating: sum(|counts| counts.terminating),
        }
    }
}
