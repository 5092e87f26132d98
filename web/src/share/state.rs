//! The state that an address or a file holds, and its text.

use changeover_core::json::{FromJson, LiteMap, ToJson, decode};
use changeover_wire::{Fork, LargeText, LinkContent, WorkloadKind, WorkloadName};
use serde_json::{Value, json};

use crate::asked_limits::AskedLimits;
use crate::job_settings::JobSettings;
use crate::sandbox_view::SandboxView;
use crate::settings::{PodReplacementPolicy, Settings};

/// The version of the format. A change that an older page would misread gets the next number; so does another default,
/// because defaults are left out. Until version 1, the sandbox played the exact order.
const VERSION: i32 = 2;

/// Everything that was set. What is absent is as the page has it at first.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SharedState {
    /// The version of the format.
    pub version: i32,
    /// The reader's position in a story; none in the sandbox.
    #[json(omitempty)]
    pub story: Option<SharedStory>,
    /// What was set in the sandbox; none in a story.
    #[json(omitempty)]
    pub sandbox: Option<SharedSandbox>,
    /// What is asked of the API server; none elsewhere.
    #[json(omitempty)]
    pub review: Option<SharedReview>,
    /// What the user did since, by time.
    #[serde(default)]
    #[json(omitempty)]
    pub forks: Vec<SharedFork>,
    /// Where the playhead is, in nanoseconds of the page's time; none where the page puts it by itself.
    #[json(omitempty)]
    pub moment: Option<i64>,
    /// The number of the last API write that is shown; none if it is the last one of its moment.
    #[json(omitempty)]
    pub write: Option<u32>,
    /// Whether each step of the playhead is a single API write.
    #[serde(default)]
    #[json(omitempty)]
    pub zoomed_in: bool,
    /// Whether pods are also shown by node.
    #[serde(default)]
    #[json(omitempty)]
    pub by_node: bool,
}

/// The reader's position in a story.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SharedStory {
    /// The name of its files.
    pub name: String,
    /// The number of the chapter, from 0, if it is one of the smaller cases that the story begins with.
    #[json(omitempty)]
    pub chapter: Option<u32>,
    /// The number of the caption in its chapter, from 0.
    #[json(omitempty)]
    pub caption: u32,
    /// Whether what would have helped is shown.
    #[json(omitempty)]
    pub shows_remedy: bool,
}

/// What was set in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SharedSandbox {
    /// The settings.
    pub(crate) settings: Settings,
    /// The kind of the workload, if it is no Deployment.
    #[json(omitempty)]
    pub(crate) workload: Option<String>,
    /// The settings of a Job.
    #[serde(default)]
    #[json(omitempty)]
    pub(crate) job: JobSettings,
    /// The proposed policy with which they are compared.
    #[json(omitempty)]
    pub(crate) policy: Option<PodReplacementPolicy>,
    /// The other settings with which they are compared.
    #[json(omitempty)]
    pub(crate) other: Option<Settings>,
    /// The user's own manifests, from which the rollout comes.
    #[json(omitempty)]
    pub manifests: Option<SharedManifests>,
    /// How the rollout is edited, if not as YAML where it comes from manifests, and else with the controls.
    #[json(omitempty)]
    pub(crate) view: Option<SandboxView>,
    /// The limits for which settings are asked.
    #[serde(default)]
    #[json(omitempty)]
    pub(crate) ask: AskedLimits,
}

/// The user's own manifests; in an address, reduced to what is read of them.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SharedManifests {
    /// The text.
    pub text: LargeText,
    /// What runs before the change to the text, if the user said so.
    #[json(omitempty)]
    pub before: Option<LargeText>,
    /// The kind, the namespace and the name of the workload to show, if the user chose one.
    #[json(omitempty)]
    pub kind: Option<String>,
    #[json(omitempty)]
    pub namespace: Option<String>,
    #[json(omitempty)]
    pub name: Option<String>,
    /// When the state of a running cluster was read, as in RFC 3339.
    #[json(omitempty)]
    pub read_at: Option<String>,
    /// When the text was pasted or opened, if it is not read yet; never in an address.
    #[json(omitempty)]
    pub given_at: Option<String>,
    /// The view that the user changed last, if the text does not contain that change yet; never in an address.
    #[json(omitempty)]
    pub lead: Option<SandboxView>,
}

/// The inputs of the page "API server"; in an address, the manifests are reduced to what is read of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SharedReview {
    /// The manifests.
    pub manifests: LargeText,
    /// The objects that exist.
    pub existing: LargeText,
    /// What was entered as the policy's settings, by path.
    pub settings: LiteMap<String, String>,
}

/// An action that the user added.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SharedFork {
    /// When, in nanoseconds of the page's time.
    at: i64,
    /// The action in the scenario's format.
    action: Value,
    /// The kind, the namespace and the name of the workload it is about, if it names none itself.
    #[json(omitempty)]
    kind: Option<String>,
    #[json(omitempty)]
    namespace: Option<String>,
    #[json(omitempty)]
    name: Option<String>,
}

impl From<&Fork> for SharedFork {
    fn from(Fork { at, action, target }: &Fork) -> Self {
        Self {
            at: *at,
            action: action.clone(),
            kind: target.as_ref().map(|target| String::from(target.kind.name())),
            namespace: target.as_ref().map(|target| target.namespace.clone()),
            name: target.as_ref().map(|target| target.name.clone()),
        }
    }
}

impl From<SharedFork> for Fork {
    fn from(SharedFork { at, action, kind, namespace, name }: SharedFork) -> Self {
        let kind = kind.and_then(|kind| WorkloadKind::of_name(&kind)).unwrap_or_default();
        let target = namespace.zip(name).map(|(namespace, name)| WorkloadName { kind, namespace, name });
        Self { at, action, target }
    }
}

/// Why a state can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateProblem {
    /// A newer version of the page wrote it.
    Newer,
    /// It was cut off or changed.
    Broken,
    /// Another tab keeps it, or one that was closed.
    InOtherTab,
}

impl StateProblem {
    /// What an address with it leads to.
    pub const fn of_address(self) -> &'static str {
        match self {
            Self::Newer => {
                "This link was created by a newer version of the page, so the page starts with its defaults. To get that version, reload the page."
            }
            Self::Broken => "This link is incomplete or was changed, so the page starts with its defaults.",
            Self::InOtherTab => {
                "This link works only in the tab that created it, so the page starts with its defaults."
            }
        }
    }

    /// What a file with it leads to.
    pub const fn of_file(self) -> &'static str {
        match self {
            Self::Newer => {
                "This file was created by a newer version of the page. To get that version, reload the page."
            }
            Self::Broken | Self::InOtherTab => "This file is incomplete, or it was not downloaded from this page.",
        }
    }
}

impl Default for SharedState {
    fn default() -> Self {
        Self {
            version: VERSION,
            story: None,
            sandbox: None,
            review: None,
            forks: Vec::new(),
            moment: None,
            write: None,
            zoomed_in: false,
            by_node: false,
        }
    }
}

impl SharedState {
    /// Its text. Settings hold what differs from how they are at first, so that addresses are short.
    pub fn to_text(&self) -> String {
        self.to_json().to_string()
    }

    /// The bytes of the texts in it that may be large.
    pub fn text_size(&self) -> usize {
        let manifests = self.sandbox.as_ref().and_then(|sandbox| sandbox.manifests.as_ref());
        let manifests = manifests.map(|it| it.text.len().saturating_add(it.before.as_ref().map_or(0, |it| it.len())));
        let review = self.review.as_ref().map(|it| it.manifests.len().saturating_add(it.existing.len()));
        // An action may be a manifest.
        let actions = self.forks.iter().map(|fork| fork.action.to_string().len());
        actions.chain(manifests).chain(review).fold(0, usize::saturating_add)
    }

    /// The texts and actions in it that may contain objects.
    pub fn objects(&self) -> String {
        let manifests = self.sandbox.as_ref().and_then(|sandbox| sandbox.manifests.as_ref());
        let manifests = manifests.into_iter().flat_map(|it| it.before.iter().chain([&it.text]));
        let review = self.review.iter().flat_map(|it| [&it.manifests, &it.existing]);
        let texts = manifests.chain(review).map(|text| text.to_string());
        let actions = self.forks.iter().map(|fork| fork.action.to_string());
        let texts: Vec<String> = texts.chain(actions).filter(|text| !text.is_empty()).collect();
        texts.join("\n---\n")
    }

    /// The state with what a link may contain of the actions that the user added. Only the workbench reduces manifests.
    pub fn with_reduced_forks(mut self) -> Self {
        let mut content = LinkContent::default();
        self.forks.iter_mut().for_each(|fork| content.reduce_action(&mut fork.action));
        self
    }

    /// Reads a text.
    ///
    /// # Errors
    /// If it is not one of this version or an earlier one.
    pub fn parse(text: &str) -> Result<Self, StateProblem> {
        let mut value: Value = serde_json::from_str(text).map_err(|_| StateProblem::Broken)?;
        match value.get("version").and_then(Value::as_i64) {
            Some(version) if version > i64::from(VERSION) => return Err(StateProblem::Newer),
            Some(1) => upgrade_version_1(&mut value),
            Some(2..) => {}
            _ => return Err(StateProblem::Broken),
        }
        decode(&value, "").map_err(|_| StateProblem::Broken)
    }

    /// Whether only the moment or the view is another one, so that Back has nothing to bring back.
    pub fn has_same_inputs(&self, other: &Self) -> bool {
        // Names every field, so that the compiler asks whether a new one is an input.
        let Self { version, story, sandbox, review, forks, moment: _, write: _, zoomed_in: _, by_node: _ } = self;
        // Captions are moments of a story.
        let is_same_story = story.as_ref().map(|story| &story.name) == other.story.as_ref().map(|story| &story.name);
        let is_same_sandbox = match (sandbox, &other.sandbox) {
            (Some(this), Some(sandbox)) => SharedSandbox { view: sandbox.view, ..this.clone() } == *sandbox,
            (this, sandbox) => this == sandbox,
        };
        is_same_story
            && is_same_sandbox
            && *version == other.version
            && *review == other.review
            && *forks == other.forks
    }
}

/// Writes down what was the default in version 1.
fn upgrade_version_1(state: &mut Value) {
    for settings in ["/sandbox/settings", "/sandbox/other"] {
        if let Some(settings) = state.pointer_mut(settings).and_then(Value::as_object_mut) {
            settings.entry("mode").or_insert_with(|| json!("exact"));
        }
    }
    if let Some(version) = state.get_mut("version") {
        *version = json!(VERSION);
    }
}

#[cfg(test)]
mod tests {
    use changeover_core::object::Time;
    use changeover_core::scenario::Mode;
    use proptest::prelude::*;
    use serde_json::json;

    use changeover_wire::LinkTexts;

    use super::*;
    use crate::asked_limits::Limit;
    use crate::job_settings::JobField;
    use crate::manifests::{ManifestsState, OwnManifests, SandboxSource};
    use crate::sandbox_inputs::{KeptSandbox, SandboxInputs};
    use crate::settings::{Comparison, Field, StrategyType};

    fn sandbox(comparison: &Comparison) -> SharedState {
        let inputs = SandboxInputs { comparison: comparison.clone(), ..SandboxInputs::default() };
        let sandbox = SharedSandbox::new(&inputs, None);
        SharedState { sandbox: Some(sandbox), ..SharedState::default() }
    }

    #[test]
    fn settings_that_are_as_at_first_take_no_room() {
        let text = sandbox(&Comparison::Policy(PodReplacementPolicy::TerminationComplete)).to_text();
        assert_eq!(text, r#"{"sandbox":{"policy":"TerminationComplete","settings":{}},"version":2}"#);
    }

    #[test]
    fn a_text_of_a_later_version_says_so_and_everything_else_is_broken() {
        let cases = [
            ("", StateProblem::Broken),
            ("[]", StateProblem::Broken),
            ("{}", StateProblem::Broken),
            (r#"{"version": 0}"#, StateProblem::Broken),
            (r#"{"version": "1"}"#, StateProblem::Broken),
            (r#"{"version": 1, "color": "blue"}"#, StateProblem::Broken),
            (r#"{"version": 1, "sandbox": {"settings": {"replicas": 3}}}"#, StateProblem::Broken),
            (r#"{"version": 1, "moment": "soon"}"#, StateProblem::Broken),
            (r#"{"version": 2, "color": "blue"}"#, StateProblem::Broken),
            (r#"{"version": 3, "color": "blue"}"#, StateProblem::Newer),
        ];
        for (text, problem) in cases {
            assert_eq!(SharedState::parse(text), Err(problem), "{text}");
        }
        for version in ["1", "2"] {
            assert_eq!(SharedState::parse(&format!(r#"{{"version": {version}}}"#)), Ok(SharedState::default()));
        }
    }

    #[test]
    fn an_address_of_version_1_still_plays_the_exact_order() {
        let text = r#"{"version": 1, "sandbox": {"settings": {"replicas": "8"}, "other": {"hasRateLimit": false}}}"#;
        let state = SharedState::parse(text).unwrap();
        assert_eq!(state.version, VERSION);
        assert_eq!(SharedState::parse(&state.to_text()), Ok(state.clone()));
        let SandboxInputs { settings, comparison, .. } = state.sandbox.unwrap().into();
        assert_eq!((settings.mode(), settings.text(Field::Replicas)), (Mode::Exact, "8"));
        let Comparison::Settings(other) = comparison else { panic!("{comparison:?}") };
        assert_eq!((other.mode(), other.has_rate_limit()), (Mode::Exact, false));
    }

    #[test]
    fn only_the_tab_keeps_the_secrets_in_the_action_of_a_fork() {
        let secret = json!({ "kind": "Secret", "metadata": { "name": "db" }, "stringData": { "password": "hunter2" } });
        let pod =
            json!({ "spec": { "containers": [{ "name": "web", "env": [{ "name": "TOKEN", "value": "hunter2" }] }] } });
        let database =
            json!({ "apiVersion": "example.com/v1", "kind": "Database", "spec": { "users": { "web": "hunter2" } } });
        let actions = [
            json!({ "apply": secret }),
            json!({ "create": database }),
            json!({ "setTemplate": { "template": pod } }),
            json!({ "annotate": { "kind": "Pod", "name": "web/0", "annotations": { "token": "hunter2" } } }),
        ];
        for action in actions {
            let fork = Fork { at: 1, action, target: None };
            let state = SharedState { forks: vec![SharedFork::from(&fork)], ..SharedState::default() };
            assert!(state.to_text().contains("hunter2"), "{}", state.to_text());
            let shared = state.with_reduced_forks();
            assert!(!shared.to_text().contains("hunter2"), "{}", shared.to_text());
        }
    }

    #[test]
    fn manifests_and_actions_count_as_large_texts() {
        let (text, before) = ("x".repeat(10), Some(LargeText::from("y".repeat(5))));
        let own = OwnManifests { before, ..OwnManifests::new(text) };
        let sandbox = SharedSandbox::new(&SandboxInputs::default(), Some(own.unread()));
        let action = json!({ "apply": { "data": "z".repeat(100) } });
        let fork = SharedFork::from(&Fork { at: 1, action: action.clone(), target: None });
        let state = SharedState { sandbox: Some(sandbox), forks: vec![fork], ..SharedState::default() };
        assert_eq!(state.text_size(), 15 + action.to_string().len());
        assert_eq!(SharedState::default().text_size(), 0);
    }

    #[test]
    fn a_moment_and_a_caption_are_no_new_inputs() {
        let before = sandbox(&Comparison::Nothing);
        let as_yaml =
            SandboxInputs { comparison: Comparison::Nothing, view: SandboxView::Yaml, ..SandboxInputs::default() };
        let as_yaml = SharedState { sandbox: Some(SharedSandbox::new(&as_yaml, None)), ..SharedState::default() };
        assert!(before.has_same_inputs(&as_yaml) && before != as_yaml);
        let elsewhere =
            SharedState { moment: Some(5), write: Some(2), zoomed_in: true, by_node: true, ..before.clone() };
        assert!(before.has_same_inputs(&elsewhere));
        assert!(!before.has_same_inputs(&sandbox(&Comparison::Settings(Box::default()))));
        let fork = SharedFork { at: 1, action: json!({"undo": {}}), kind: None, namespace: None, name: None };
        assert!(!before.has_same_inputs(&SharedState { forks: vec![fork], ..before.clone() }));
        let story = |name: &str, caption| {
            let story = SharedStory { name: name.to_owned(), caption, ..SharedStory::default() };
            SharedState { story: Some(story), ..SharedState::default() }
        };
        assert!(story("quota", 0).has_same_inputs(&story("quota", 3)));
        assert!(!story("quota", 0).has_same_inputs(&story("stuck", 0)));
    }

    #[test]
    fn what_the_controls_say_before_the_text_says_it_is_kept() {
        let given_at = Some(String::from("2026-01-01T00:00:00Z"));
        let own = OwnManifests { given_at, lead: SandboxView::Controls, ..OwnManifests::new("kind: Deployment") };
        let source = SandboxSource::Manifests(own);
        let inputs = SandboxInputs { source, view: SandboxView::Controls, ..SandboxInputs::default() };
        let kept = inputs.kept(&ManifestsState { is_reading: true, ..ManifestsState::default() });
        assert!(matches!(kept, KeptSandbox::Unread(_)));
        let state = SharedState { sandbox: Some(kept.sandbox().clone()), ..SharedState::default() };
        let read = SharedState::parse(&state.to_text()).unwrap();
        assert_eq!(read.sandbox.map(SandboxInputs::from), Some(inputs));
    }

    #[test]
    fn the_time_at_which_a_cluster_was_read_is_kept() {
        let time = "2026-01-01T00:00:00Z";
        let manifests = json!({ "text": "kind: Pod", "readAt": time });
        let text = json!({ "version": 2, "sandbox": { "settings": {}, "manifests": manifests } }).to_string();
        let inputs = SandboxInputs::from(SharedState::parse(&text).unwrap().sandbox.unwrap());
        let own = inputs.manifests().unwrap();
        assert_eq!(own.read_at.as_deref(), Some(time));
        let unread = own.unread();
        assert_eq!((unread.read_at.as_deref(), unread.given_at), (Some(time), None));
        let given = inputs.with_given_text("kind: Pod".into(), Time(0));
        let given = given.manifests().unwrap().unread();
        assert_eq!((given.read_at, given.given_at.as_deref()), (None, Some("1970-01-01T00:00:00Z")));
        let chosen = inputs.with_given_text("kind: Pod".into(), Time(0)).with_read_at(Time(0).plus_seconds(1));
        let chosen = chosen.manifests().unwrap().unread();
        assert_eq!(chosen.read_at.as_deref(), Some("1970-01-01T00:00:01Z"));
        assert_eq!(chosen.given_at.as_deref(), Some("1970-01-01T00:00:00Z"));
    }

    fn settings() -> impl Strategy<Value = Settings> {
        (any::<String>(), any::<String>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
            |(replicas, surge, recreates, limited, exact)| {
                let mut settings = Settings::default();
                settings.set_text(Field::Replicas, replicas);
                settings.set_text(Field::MaxSurge, surge);
                settings.set_strategy(if recreates { StrategyType::Recreate } else { StrategyType::RollingUpdate });
                settings.set_rate_limit(limited);
                settings.set_mode(if exact { Mode::Exact } else { Mode::Realistic });
                settings
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            mine in settings(),
            other in proptest::option::of(settings()),
            moment in proptest::option::of(any::<i64>()),
            write in proptest::option::of(any::<u32>()),
            manifests in proptest::option::of((any::<String>(), proptest::option::of(any::<String>()))),
            by_node: bool,
            zoomed_in: bool,
            is_yaml: bool,
            within: String,
            forks in proptest::collection::vec((any::<i64>(), any::<i32>()), 0..3),
        ) {
            let comparison = other.map_or(Comparison::Nothing, |other| Comparison::Settings(Box::new(other)));
            let (namespace, name) = (String::from("default"), String::from("web"));
            let target = WorkloadName { kind: WorkloadKind::Job, namespace, name };
            let fork = |(at, replicas)| Fork { at, action: json!({"scale": {"replicas": replicas}}), target: Some(target.clone()) };
            let forks: Vec<Fork> = forks.into_iter().map(fork).collect();
            let shown = target.clone();
            let source = manifests.map_or(SandboxSource::Controls, |(text, before)| {
                let before = before.map(LargeText::from);
                SandboxSource::Manifests(OwnManifests { before, workload: Some(shown), ..OwnManifests::new(text) })
            });
            let view = if is_yaml { SandboxView::Yaml } else { SandboxView::Controls };
            let limits = AskedLimits { fits_quotas: is_yaml, ..AskedLimits::default().with_text(Limit::Within, within) };
            let job = JobSettings::default().with_text(JobField::Completions, mine.text(Field::Replicas).to_owned());
            let inputs = SandboxInputs { workload: WorkloadKind::Job, settings: mine, job, source, view, comparison, limits };
            let own = inputs.manifests().map(|own| own.shared(&LinkTexts::default()));
            let sandbox = SharedSandbox::new(&inputs, own);
            let state = SharedState {
                sandbox: Some(sandbox),
                moment,
                write,
                zoomed_in,
                by_node,
                forks: forks.iter().map(SharedFork::from).collect(),
                ..SharedState::default()
            };
            let read = SharedState::parse(&state.to_text()).unwrap();
            prop_assert_eq!(&read, &state);
            prop_assert_eq!(read.sandbox.map(SandboxInputs::from), Some(inputs));
            prop_assert_eq!(read.forks.into_iter().map(Fork::from).collect::<Vec<_>>(), forks);
        }
    }
}
