//! What the user set in the sandbox.

use std::rc::Rc;

use changeover_core::object::Time;
use changeover_core::scenario::Mode;
use changeover_wire::{
    AskedRollout, LargeText, LinkTexts, Manifests, Question, Reading, WorkloadKind, WorkloadName, to_yaml,
};
use serde_json::Value;

use crate::asked_limits::AskedLimits;
use crate::job_settings::{Disruption, JobSettings};
use crate::manifests::{ManifestsState, OwnManifests, SandboxSource, change_sentence};
use crate::player_client::LaneRequest;
use crate::sandbox_view::SandboxView;
use crate::settings::{Comparison, PodReplacementPolicy, Settings, SettingsOrigin, scenario_deployment};
use crate::share::{DeepLink, SharedManifests, SharedSandbox};

/// What the user set in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxInputs {
    /// What is played: what the user chose, or what is shown of their manifests.
    pub workload: WorkloadKind,
    /// What the controls of a Deployment and its cluster show.
    pub settings: Settings,
    /// What the controls of a Job show.
    pub job: JobSettings,
    /// Where the rollout comes from.
    pub source: SandboxSource,
    /// How the rollout is edited.
    pub view: SandboxView,
    /// What a Deployment is compared with.
    pub comparison: Comparison,
    /// The limits for which settings are asked.
    pub limits: AskedLimits,
}

/// What the tab keeps of the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptSandbox {
    /// An address may contain it, too, but with these manifests instead of the user's own; none if there are no manifests.
    Shareable(SharedSandbox, Option<SharedManifests>),
    /// A text that can't be read, so nobody can tell what a link may contain of it: it stays in the tab.
    Unreadable(SharedSandbox),
    /// A text that is still being read: only if the page is left meanwhile, it stays in the tab.
    Unread(SharedSandbox),
}

impl KeptSandbox {
    /// What was set.
    pub const fn sandbox(&self) -> &SharedSandbox {
        match self {
            Self::Shareable(sandbox, _) | Self::Unreadable(sandbox) | Self::Unread(sandbox) => sandbox,
        }
    }

    /// The part that an address may contain; none if the page can't tell which.
    pub fn shared(&self) -> Option<SharedSandbox> {
        match self {
            Self::Shareable(sandbox, manifests) => {
                Some(SharedSandbox { manifests: manifests.clone(), ..sandbox.clone() })
            }
            Self::Unreadable(_) | Self::Unread(_) => None,
        }
    }
}

impl Default for SandboxInputs {
    fn default() -> Self {
        let comparison = Comparison::Policy(PodReplacementPolicy::TerminationComplete);
        Self {
            workload: WorkloadKind::default(),
            settings: Settings::default(),
            job: JobSettings::default(),
            source: SandboxSource::default(),
            view: SandboxView::default(),
            comparison,
            limits: AskedLimits::default(),
        }
    }
}

impl SandboxInputs {
    /// What a deep link brings; else what is set at first.
    pub fn of_deep_link(deep_link: &DeepLink) -> Self {
        deep_link.peek(|state| state.sandbox.clone()).map(Self::from).unwrap_or_default()
    }

    /// The settings of the first lane of a story, compared with those of its second one; none without a workload. Where there are
    /// no controls for them, they are its manifest.
    pub fn of_lanes(lanes: &[LaneRequest]) -> Option<Self> {
        let mut scenarios = lanes.iter().filter_map(LaneRequest::scenario);
        let (scenario, other) = (scenarios.next()?, scenarios.next());
        if let Some(settings) = Settings::of_scenario(scenario) {
            let other_settings = other.and_then(Settings::of_scenario).filter(|other| *other != settings);
            let policy = || [Some(scenario), other].into_iter().flatten().find_map(PodReplacementPolicy::of_scenario);
            let comparison = match other_settings {
                Some(other) => Comparison::Settings(Box::new(other)),
                None => policy().map_or(Comparison::Nothing, Comparison::Policy),
            };
            let Some(deployment) = scenario_deployment(scenario).filter(|deployment| has_node_rules(deployment)) else {
                return Some(Self { settings, comparison, ..Self::default() });
            };
            // The other lane has the same text and nodes.
            let surrounds_alike = |other: &Value| {
                let [its, own] = [other, scenario].map(|it| scenario_deployment(it)?.pointer("/spec/template"));
                other.get("nodes") == scenario.get("nodes") && its == own
            };
            let comparison = if other.is_some_and(surrounds_alike) { comparison } else { Comparison::Nothing };
            let source = SandboxSource::Manifests(OwnManifests::new(to_yaml([deployment])));
            return Some(Self { settings, comparison, source, view: SandboxView::Yaml, ..Self::default() });
        }
        let created = scenario.get("actions")?.as_array()?.iter().find_map(|action| action.get("create"))?;
        Some(Self {
            workload: WorkloadKind::of_name(created.get("kind")?.as_str()?)?,
            job: JobSettings::of_scenario(scenario),
            source: SandboxSource::Manifests(OwnManifests::new(to_yaml([created]))),
            view: SandboxView::Yaml,
            ..Self::default()
        })
    }

    /// The user's own manifests, if the rollout comes from them.
    pub const fn manifests(&self) -> Option<&OwnManifests> {
        match &self.source {
            SandboxSource::Controls => None,
            SandboxSource::Manifests(manifests) => Some(manifests),
        }
    }

    /// What was set, with the default view and limits: other ones ask nothing else about the rollout.
    pub fn asking(&self) -> Self {
        Self { view: SandboxView::default(), limits: AskedLimits::default(), ..self.clone() }
    }

    /// The user's own manifests as the workbench takes them.
    pub fn to_wire(&self) -> Option<Manifests> {
        self.manifests().map(|own| own.to_wire(&self.cluster(), &self.job))
    }

    /// The rollout of a Deployment, for questions about it.
    pub fn asked_rollout(&self) -> AskedRollout {
        match self.manifests() {
            None => AskedRollout::Lane(self.settings.source()),
            Some(manifests) => AskedRollout::Manifests(manifests.to_wire(&self.settings, &self.job)),
        }
    }

    /// Asks what the user's own manifests hold. A Job is always compared with itself under its other policy, a set with nothing.
    pub fn question(&self) -> Option<Question> {
        let other_policy = Comparison::Policy(PodReplacementPolicy::TerminationComplete);
        let comparison = match self.workload {
            WorkloadKind::Deployment => &self.comparison,
            WorkloadKind::Job | WorkloadKind::CronJob => &other_policy,
            WorkloadKind::StatefulSet | WorkloadKind::DaemonSet => &Comparison::Nothing,
        };
        self.manifests().map(|own| own.question(&self.cluster(), &self.job, comparison))
    }

    /// The cluster around the user's own manifests. Only the controls of a Deployment have a switch for the mode.
    fn cluster(&self) -> Settings {
        let mut settings = self.settings.clone();
        if self.workload != WorkloadKind::Deployment {
            settings.set_mode(Mode::Realistic);
            settings.set_rate_limit(true);
        }
        settings
    }

    /// The rollout as YAML.
    pub fn yaml(&self) -> LargeText {
        self.manifests().map_or_else(|| self.yaml_of_controls().into(), |manifests| manifests.text.clone())
    }

    fn yaml_of_controls(&self) -> String {
        match self.workload {
            WorkloadKind::Deployment => self.settings.to_yaml(),
            WorkloadKind::Job | WorkloadKind::CronJob => self.job.to_yaml(),
            // Without controls, there is always a text.
            WorkloadKind::StatefulSet | WorkloadKind::DaemonSet => String::new(),
        }
    }

    /// Where the rollout comes from. `reading`: what the user's own manifests hold.
    pub fn scope(&self, reading: Option<&Reading>) -> SettingsOrigin {
        self.manifests().map_or(SettingsOrigin::Settings, |_| SettingsOrigin::of_manifests(reading))
    }

    /// All settings in a line, after what the user's own manifests hold.
    pub fn summary(&self, reading: Option<&Reading>) -> String {
        let settings = match self.workload {
            WorkloadKind::Deployment => self.settings.summary(self.scope(reading)),
            WorkloadKind::Job | WorkloadKind::CronJob => self.job.summary(),
            WorkloadKind::StatefulSet | WorkloadKind::DaemonSet => String::new(),
        };
        if self.manifests().is_none() {
            return settings;
        }
        let Some((reading, shown)) = reading.and_then(|reading| Some((reading, reading.shown.as_ref()?))) else {
            return String::from("From YAML");
        };
        let source = reading.read_at.as_ref().map_or_else(
            || format!("from YAML, {}", change_sentence(&reading.change)),
            |time| format!("in a cluster as it was at {time}"),
        );
        let settings = if settings.is_empty() { settings } else { format!(": {settings}") };
        format!("{} {} {source}{settings}", shown.kind.name(), shown.name)
    }

    /// The inputs with the rollout of a changed text.
    #[must_use]
    pub fn with_text(&self, text: LargeText) -> Self {
        self.with_manifests(|manifests| OwnManifests { text, lead: SandboxView::Yaml, ..manifests })
    }

    /// The inputs with a text that the user pastes or opens `now`. If it is the state of a cluster, it may have just been read.
    #[must_use]
    pub fn with_given_text(&self, text: LargeText, now: Time) -> Self {
        let (read_at, given_at) = (None, Some(now.to_string()));
        self.with_manifests(|manifests| OwnManifests { text, read_at, given_at, lead: SandboxView::Yaml, ..manifests })
    }

    /// The inputs with another time of the state of a running cluster.
    #[must_use]
    pub fn with_read_at(&self, time: Time) -> Self {
        self.with_manifests(|manifests| OwnManifests { read_at: Some(time.to_string()), ..manifests })
    }

    /// Compared with other settings.
    pub fn with_other_settings(&self, settings: Settings) -> Self {
        Self { comparison: Comparison::Settings(Box::new(settings)), ..self.clone() }
    }

    /// The inputs with changed controls.
    #[must_use]
    pub fn with_settings(&self, settings: Settings) -> Self {
        Self { settings, ..self.led_by_controls() }
    }

    /// The inputs with changed controls of a Job.
    #[must_use]
    pub fn with_job(&self, job: JobSettings) -> Self {
        Self { job, ..self.led_by_controls() }
    }

    /// The inputs whose text follows the controls.
    fn led_by_controls(&self) -> Self {
        match &self.source {
            SandboxSource::Manifests(own) => {
                let own = OwnManifests { lead: SandboxView::Controls, ..own.clone() };
                Self { source: SandboxSource::Manifests(own), ..self.clone() }
            }
            SandboxSource::Controls => self.clone(),
        }
    }

    /// The inputs with another workload of the user's manifests.
    #[must_use]
    pub fn with_shown(&self, shown: WorkloadName) -> Self {
        self.with_manifests(|own| OwnManifests { workload: Some(shown), lead: SandboxView::Yaml, ..own })
    }

    /// The inputs with other choices about the user's manifests.
    #[must_use]
    pub fn with_manifests(&self, change: impl FnOnce(OwnManifests) -> OwnManifests) -> Self {
        let manifests = self.manifests().cloned().unwrap_or_else(|| OwnManifests::new(self.yaml_of_controls()));
        Self { source: SandboxSource::Manifests(change(manifests)), ..self.clone() }
    }

    /// The inputs in which the text and the controls say the same, as far as the controls know it: the view that the user
    /// did not change follows the other one.
    #[must_use]
    pub fn reconciled(&self, reading: &Reading) -> Self {
        let Some(own) = self.manifests() else { return self.clone() };
        match (own.lead, &reading.rewritten) {
            (SandboxView::Controls, Some(text)) => {
                let own = OwnManifests { text: text.clone(), ..own.clone() };
                Self { source: SandboxSource::Manifests(own), ..self.clone() }
            }
            (SandboxView::Controls, None) => self.clone(),
            (SandboxView::Yaml, _) => self.following(reading),
        }
    }

    /// The inputs whose controls follow the text.
    fn following(&self, reading: &Reading) -> Self {
        match reading.shown.as_ref().map(|shown| shown.kind) {
            None => self.clone(),
            Some(WorkloadKind::Deployment) => {
                let settings = self.settings.with_fields(&reading.fields).with_others(&reading.other_deployments);
                Self { workload: WorkloadKind::Deployment, settings, ..self.clone() }
            }
            Some(kind) if !kind.has_jobs() => Self { workload: kind, ..self.clone() },
            Some(kind) => {
                let mut job = self.job.with_fields(kind, &reading.fields);
                // Nothing happens to a pod of somebody's Job until they say so.
                if !self.workload.has_jobs() {
                    job.disruption = Disruption::Nothing;
                }
                Self { workload: kind, job, ..self.clone() }
            }
        }
    }

    /// Whether a setting can't be played, although the core might play it.
    pub fn has_own_problem(&self, scope: SettingsOrigin) -> bool {
        let other = match &self.comparison {
            Comparison::Settings(settings) => settings.has_own_problem(SettingsOrigin::Settings),
            Comparison::Policy(_) | Comparison::Nothing => false,
        };
        self.workload == WorkloadKind::Deployment && (self.settings.has_own_problem(scope) || other)
    }

    /// The lanes to play; none as long as a setting is invalid. `own`: those of the user's manifests.
    pub fn lanes(&self, own: Option<&Rc<Vec<LaneRequest>>>, scope: SettingsOrigin) -> Option<Rc<Vec<LaneRequest>>> {
        if self.has_own_problem(scope) {
            return None;
        }
        match (&self.source, self.workload) {
            (SandboxSource::Manifests(_), _) => own.cloned(),
            (SandboxSource::Controls, WorkloadKind::Deployment) => {
                Some(Rc::new(self.settings.lane_requests(&self.comparison)))
            }
            (SandboxSource::Controls, WorkloadKind::Job | WorkloadKind::CronJob) => {
                Some(Rc::new(self.job.lane_requests()))
            }
            (SandboxSource::Controls, WorkloadKind::StatefulSet | WorkloadKind::DaemonSet) => None,
        }
    }

    /// What an address contains; none until the manifests are read.
    pub fn shared(&self, manifests: &ManifestsState) -> Option<SharedSandbox> {
        self.kept(manifests).shared()
    }

    /// What the tab keeps.
    pub fn kept(&self, manifests: &ManifestsState) -> KeptSandbox {
        let Some(own) = self.manifests() else { return KeptSandbox::Shareable(SharedSandbox::new(self, None), None) };
        let reading = manifests.reading.as_ref().filter(|_| !manifests.is_reading);
        match reading.map(|reading| (reading, &reading.link_texts)) {
            Some((reading, Some(without))) => {
                let known = |manifests| SharedManifests { read_at: reading.read_at.clone(), ..manifests };
                let whole = SharedSandbox::new(self, Some(known(own.shared(&LinkTexts::default()))));
                KeptSandbox::Shareable(whole, Some(known(own.shared(without))))
            }
            // Nobody can tell what a link may contain of it.
            Some((_, None)) => KeptSandbox::Unreadable(SharedSandbox::new(self, Some(own.unread()))),
            None => {
                let lead = Some(own.lead).filter(|lead| *lead == SandboxView::Controls);
                KeptSandbox::Unread(SharedSandbox::new(self, Some(SharedManifests { lead, ..own.unread() })))
            }
        }
    }
}

/// Whether a Deployment says which nodes its pods may have, which no control does.
fn has_node_rules(deployment: &Value) -> bool {
    deployment.pointer("/spec/template/spec/affinity").is_some()
}

impl SharedSandbox {
    /// What was set.
    pub fn new(inputs: &SandboxInputs, manifests: Option<SharedManifests>) -> Self {
        let SandboxInputs { workload, settings, job, source, view, comparison, limits } = inputs;
        let view = Some(*view).filter(|view| *view != view_of(source));
        let (policy, other) = match comparison {
            Comparison::Policy(policy) => (Some(*policy), None),
            Comparison::Settings(other) => (None, Some((**other).clone())),
            Comparison::Nothing => (None, None),
        };
        let workload = (*workload != WorkloadKind::Deployment).then(|| String::from(workload.name()));
        let (settings, job, ask) = (settings.clone(), job.clone(), limits.clone());
        Self { settings, workload, job, policy, other, manifests, view, ask }
    }
}

/// How a rollout is edited at first.
const fn view_of(source: &SandboxSource) -> SandboxView {
    match source {
        SandboxSource::Controls => SandboxView::Controls,
        SandboxSource::Manifests(_) => SandboxView::Yaml,
    }
}

impl From<SharedSandbox> for SandboxInputs {
    fn from(shared: SharedSandbox) -> Self {
        let SharedSandbox { settings, workload, job, policy, other, manifests, view, ask } = shared;
        let comparison = match (policy, other) {
            (_, Some(other)) => Comparison::Settings(Box::new(other)),
            (Some(policy), None) => Comparison::Policy(policy),
            (None, None) => Comparison::Nothing,
        };
        let workload = workload.and_then(|kind| WorkloadKind::of_name(&kind)).unwrap_or_default();
        let source = manifests.map_or(SandboxSource::Controls, |own| SandboxSource::Manifests(own.into()));
        let view = view.unwrap_or_else(|| view_of(&source));
        Self { workload, settings, job, source, view, comparison, limits: ask }
    }
}
