//! The user's own manifests, and the lanes that they ask for. The workbench reads them.

use std::rc::Rc;

use changeover_wire::{
    LaneSource, LargeText, LinkTexts, ManifestChange, Manifests, Question, ReadAt, Reading, Variation, WorkloadKind,
    WorkloadName,
};
use serde_json::Value;

use crate::job_settings::JobSettings;
use crate::playback::{Beginning, LaneInfo};
use crate::player_client::{LaneRequest, ScenarioText};
use crate::sandbox_view::SandboxView;
use crate::settings::{Comparison, Settings};
use crate::share::SharedManifests;

/// Where the rollout of the sandbox comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SandboxSource {
    /// From the controls.
    #[default]
    Controls,
    /// From the user's own manifests.
    Manifests(OwnManifests),
}

/// The user's own manifests: one or several documents in YAML or JSON, or the state of a running cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnManifests {
    /// The text, as it was typed.
    pub text: LargeText,
    /// What runs before the change to the text, if the user said so.
    pub before: Option<LargeText>,
    /// The workload to show, if the user chose one.
    pub workload: Option<WorkloadName>,
    /// The time of the state of a running cluster, if it is known or the user chose it.
    pub read_at: Option<String>,
    /// When the user pasted or opened the text.
    pub given_at: Option<String>,
    /// Which of the two views the other one follows.
    pub lead: SandboxView,
}

/// What has come of the user's manifests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManifestsState {
    /// What they hold; while they are read again, what they held before.
    pub reading: Option<Rc<Reading>>,
    /// The lanes to play; none if there is a problem.
    pub lanes: Option<Rc<Vec<LaneRequest>>>,
    /// Whether they are being read: until then, the reading is about what they were before.
    pub is_reading: bool,
    /// Why they can't be read by this browser.
    pub failure: Option<String>,
}

impl OwnManifests {
    /// A text that describes what runs.
    pub fn new(text: impl Into<LargeText>) -> Self {
        let lead = SandboxView::Yaml;
        Self { text: text.into(), before: None, workload: None, read_at: None, given_at: None, lead }
    }

    /// What an address holds of them. `link_texts`: what the workbench says of these texts.
    pub fn shared(&self, link_texts: &LinkTexts) -> SharedManifests {
        let LinkTexts { text, before } = link_texts;
        let shown = self.workload.clone();
        SharedManifests {
            text: text.as_ref().unwrap_or(&self.text).clone(),
            before: self.before.as_ref().map(|own| before.as_ref().unwrap_or(own).clone()),
            kind: shown.as_ref().map(|shown| String::from(shown.kind.name())),
            namespace: shown.as_ref().map(|shown| shown.namespace.clone()),
            name: shown.map(|shown| shown.name),
            read_at: None,
            given_at: None,
            lead: None,
        }
    }

    /// What the tab keeps of them until they are read.
    pub fn unread(&self) -> SharedManifests {
        let (read_at, given_at) = (self.read_at.clone(), self.given_at.clone());
        SharedManifests { read_at, given_at, ..self.shared(&LinkTexts::default()) }
    }

    /// The manifests as the workbench takes them, in the surroundings that the controls describe.
    pub fn to_wire(&self, settings: &Settings, job: &JobSettings) -> Manifests {
        let mut surroundings = settings.surroundings_of_manifests();
        if let Some(surroundings) = surroundings.as_object_mut() {
            surroundings.insert(String::from("job"), job.surroundings());
        }
        let given = || self.given_at.clone().map_or(ReadAt::NewestTime, ReadAt::Given);
        Manifests {
            text: self.text.clone(),
            before: self.before.clone(),
            workload: self.workload.clone(),
            read_at: self.read_at.clone().map_or_else(given, ReadAt::Known),
            surroundings,
        }
    }

    /// Asks what the text holds, and for the scenarios of its lanes.
    pub fn question(&self, settings: &Settings, job: &JobSettings, comparison: &Comparison) -> Question {
        Question::Read {
            manifests: self.to_wire(settings, job),
            fields: [settings.fields()].into_iter().chain(job.fields()).collect(),
            write: self.lead == SandboxView::Controls,
            lanes: variations(comparison),
        }
    }
}

impl From<SharedManifests> for OwnManifests {
    fn from(shared: SharedManifests) -> Self {
        let SharedManifests { text, before, kind, namespace, name, read_at, given_at, lead } = shared;
        let kind = kind.and_then(|kind| WorkloadKind::of_name(&kind)).unwrap_or_default();
        let workload = namespace.zip(name).map(|(namespace, name)| WorkloadName { kind, namespace, name });
        let new = Self::new(text);
        Self { before, workload, read_at, given_at, lead: lead.unwrap_or(new.lead), ..new }
    }
}

/// The lanes of a comparison.
fn variations(comparison: &Comparison) -> Vec<Variation> {
    let other = match comparison {
        Comparison::Policy(policy) => {
            Some(Variation { proposed_policy: Some(String::from(policy.as_str())), patch: Value::Null })
        }
        Comparison::Settings(settings) => Some(Variation { proposed_policy: None, patch: settings.patch() }),
        Comparison::Nothing => None,
    };
    [Variation::default()].into_iter().chain(other).collect()
}

/// The lanes of what was read; none if it can't be played.
pub fn lane_requests(
    reading: &Reading,
    scenarios: &[ScenarioText],
    comparison: &Comparison,
    settings: &Settings,
    job: &JobSettings,
) -> Option<Vec<LaneRequest>> {
    let shown = reading.shown.as_ref()?;
    if scenarios.is_empty() {
        return None;
    }
    let name = if reading.read_at.is_some() { "Your cluster" } else { "Your manifests" };
    let infos: Vec<LaneInfo> = if shown.kind.has_jobs() {
        let [mine, other] = job.with_fields(shown.kind, &reading.fields).own_lane_infos(name);
        vec![LaneInfo { beginning: Beginning::of(reading), ..mine }, other]
    } else {
        let difference = String::from("as Kubernetes decides today");
        let mine =
            LaneInfo { name: String::from(name), difference, beginning: Beginning::of(reading), ..LaneInfo::default() };
        // A lane for each scenario: a set is compared with nothing.
        [mine].into_iter().chain(settings.compared_lane_info(comparison)).collect()
    };
    let lane = |(info, scenario): (LaneInfo, &ScenarioText)| LaneRequest {
        info,
        source: LaneSource::Attached,
        attached: Some(scenario.clone()),
        workload: reading.shown.clone(),
        ..LaneRequest::default()
    };
    Some(infos.into_iter().zip(scenarios).map(lane).collect())
}

/// What happens at the page's time 0, as the end of a sentence: `you change the image`.
pub fn change_sentence(change: &ManifestChange) -> String {
    match change {
        ManifestChange::Nothing => String::from("the cluster is in the state that you gave"),
        ManifestChange::Image(image) => format!("the image changes to {image}"),
        ManifestChange::Create => String::from("you create it"),
        ManifestChange::Difference => String::from("you apply the text"),
    }
}
