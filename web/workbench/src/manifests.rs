//! The user's manifests as a cluster that changes, and where in the text something is.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::slice;

use changeover_core::Problem;
use changeover_core::cluster::PreStopHook;
use changeover_core::json::decode;
use changeover_core::object::{Kind, LabelSelector, ObjectKey, Strings, Time};
use changeover_core::prediction::{Assumptions, PredictOptions, RolloutPlan};
use changeover_core::scenario::{
    Action, Duration, Limits, MeasuredStart, Node, Scenario, TimedAction, measured_starts, new_revision, newest_time,
    reading_time, stuck_pods,
};
use changeover_core::workload::cron_job::controller::upcoming;
use changeover_text::{Document, Error, Parsed, parse, parse_watched};
use changeover_wire::{
    FieldValue, KindFields, LineProblem, MAX_OTHER_DEPLOYMENTS, ManifestChange, ManifestText, Manifests,
    OtherDeployment, PreStopHooks, ReadAt, Severity, WorkloadKind, WorkloadName,
};
use serde_json::{Value, json};

use crate::documents::{is_live_pod, is_of_kind, is_stored, located, namespace, of_reading, unreadable};
use crate::nodes::{EqualNodes, NodeControls};
use crate::progress::Part;
use crate::surroundings::Surroundings;
use crate::text_edit::{with_documents, with_field, without_document};

/// The tag of the image that a Deployment gets if the user changes nothing.
const NEXT_TAG: &str = "next";

/// How many runs of a CronJob are followed, and for how long after the last one has begun.
const FOLLOWED_RUNS: usize = 5;
const AFTER_LAST_RUN: Duration = Duration::seconds(600);

/// The API server's default of terminationGracePeriodSeconds.
const DEFAULT_GRACE_PERIOD: i64 = 30;

/// The revision of a Deployment's new version, if its old one comes from a manifest.
const SECOND_REVISION: i64 = 2;

/// The annotation of what Helm runs and replaces.
const HELM_HOOK: &str = "helm.sh/hook";

/// The defaults of fields that need not be written.
const DEFAULTS: [(&str, &str); 5] = [
    ("spec.strategy.type", "RollingUpdate"),
    ("spec.completionMode", "NonIndexed"),
    ("spec.podReplacementPolicy", "TerminatingOrFailed"),
    ("spec.jobTemplate.spec.completionMode", "NonIndexed"),
    ("spec.jobTemplate.spec.podReplacementPolicy", "TerminatingOrFailed"),
];

thread_local! {
    /// The last texts that were read: several questions are about each.
    static READ: RefCell<Vec<(String, Parsed)>> = const { RefCell::new(Vec::new()) };
}

/// What a text has. It is read only once, since that takes seconds for megabytes.
fn parsed_once(text: &str, part: Part) -> Result<Parsed, Error> {
    let known = READ.with_borrow(|read| Some(read.iter().find(|(known, _)| known == text)?.1.clone()));
    if let Some(parsed) = known {
        return Ok(parsed);
    }
    let lines = text.lines().count();
    let parsed = {
        let mut read = part.watch();
        parse_watched(text, &mut |line| read(line, lines))?
    };
    READ.with_borrow_mut(|read| {
        // The new state, and the one before.
        read.truncate(1);
        read.push((text.into(), parsed.clone()));
        read.reverse();
    });
    Ok(parsed)
}

/// The user's texts, read.
pub(crate) struct Texts {
    pub text: Vec<Document>,
    /// What runs before the change.
    pub before: Option<Vec<Document>>,
    /// The lists in which the objects of the two texts are.
    pub lists: Vec<Document>,
    pub lists_before: Vec<Document>,
    /// What is read, but probably not as it was meant.
    pub warnings: Vec<LineProblem>,
    /// When the state of a running cluster was read.
    read_at: ReadAt,
    /// The workload that is shown.
    pub shown: Option<WorkloadName>,
    /// Its position in the text.
    shown_index: Option<usize>,
    pub change: ManifestChange,
    pub surroundings: Surroundings,
    /// How long the ready pods of the shown Deployment took to start, if new pods take as long.
    pub measured_start: Option<MeasuredStart>,
    /// The newest time before the change. It is computed on first use, because that searches all values.
    newest_time: OnceCell<Option<Time>>,
}

impl Texts {
    /// Reads the texts.
    ///
    /// # Errors
    /// The text that can't be read.
    pub fn read(manifests: &Manifests) -> Result<Self, Vec<LineProblem>> {
        let parsed = |which: ManifestText, text: &str| {
            let part = match which {
                ManifestText::Before => Part::TextBefore,
                _ => Part::Text,
            };
            parsed_once(text, part).map_err(|error| vec![unreadable(which, text, error)])
        };
        let Parsed { objects: text, lists, warnings, .. } = parsed(ManifestText::Text, &manifests.text)?;
        let before = manifests.before.as_deref().map(|before| parsed(ManifestText::Before, before)).transpose()?;
        let warnings_before = before.iter().flat_map(|before| &before.warnings);
        let warnings = warnings.iter().map(|warning| of_reading(ManifestText::Text, warning));
        let warnings =
            warnings.chain(warnings_before.map(|warning| of_reading(ManifestText::Before, warning))).collect();
        let (before, lists_before) = before.map(|Parsed { objects, lists, .. }| (objects, lists)).unzip();
        let surroundings = Surroundings::read(&manifests.surroundings).map_err(|problem| vec![around(&problem)])?;
        let workloads = workloads(&text);
        let wanted = manifests.workload.as_ref().filter(|wanted| workloads.contains(wanted));
        let shown = wanted.cloned().or_else(|| stuck_one(&text, &workloads)).or_else(|| workloads.first().cloned());
        let shown_index = text.iter().position(|document| shown.is_some() && workload_name(&document.value) == shown);
        let shown_document = shown_index.and_then(|index| text.get(index));
        let change = change(&text, before.is_some(), shown.as_ref().map(|shown| shown.kind).zip(shown_document));
        let (lists_before, read_at) = (lists_before.unwrap_or_default(), manifests.read_at.clone());
        let mut texts = Self {
            text,
            before,
            lists,
            lists_before,
            warnings,
            read_at,
            shown,
            shown_index,
            change,
            surroundings,
            measured_start: None,
            newest_time: OnceCell::new(),
        };
        // Then the control says only what the text says.
        if texts.shown_deployment().is_some() && texts.sleep_of_hooks().is_some() {
            texts.surroundings.forget_pre_stop();
        }
        texts.measured_start = texts.measure_start();
        if let Some(start) = texts.measured_start {
            texts.surroundings.start_as(start);
        }
        Ok(texts)
    }

    /// How long the ready pods of the shown Deployment took to start, if that is asked for.
    fn measure_start(&self) -> Option<MeasuredStart> {
        if !self.surroundings.starts_as_measured {
            return None;
        }
        let objects: Vec<&Value> = self.old_documents().map(|document| &document.value).collect();
        let is_shown = |value: &&Value| is_of_kind(value, "Deployment") && workload_name(value) == self.shown;
        let uid = objects.iter().copied().find(is_shown)?.pointer("/metadata/uid")?.as_str()?;
        measured_starts(objects.iter().copied()).get(uid).copied()
    }

    /// The cluster, and its change.
    ///
    /// # Errors
    /// The problems of the objects, with their lines.
    pub fn plan(&self) -> Result<RolloutPlan, Vec<LineProblem>> {
        self.plan_with(Vec::new())
    }

    /// The cluster, and its change, in all of its surroundings that a prediction knows, with quotas that it should fit.
    ///
    /// # Errors
    /// As [`Texts::plan`].
    pub fn surrounded_plan(&self, quotas: Vec<Value>) -> Result<RolloutPlan, Vec<LineProblem>> {
        let plan = self.plan_with(quotas)?.with_timing(self.surroundings.others());
        Ok(plan.with_autoscaler(self.surroundings.autoscaler.clone()).with_actions(self.rollouts_of_others()))
    }

    fn plan_with(&self, quotas: Vec<Value>) -> Result<RolloutPlan, Vec<LineProblem>> {
        let (old, new) = (self.old(), self.changed());
        let options = PredictOptions {
            nodes: node_values(self.assumed_nodes()),
            quotas,
            assumptions: self.assumptions(),
            ..PredictOptions::default()
        };
        RolloutPlan::new(&old, &new, &options).map_err(|problem| self.locate(&problem))
    }

    /// What is assumed of the cluster. An entry of the kubelet for all pods would hide those that are held up.
    pub fn assumptions(&self) -> Assumptions {
        let is_live = self.is_live();
        Assumptions {
            mode: Some(self.surroundings.mode),
            now: is_live.then(|| self.reading_time()).flatten(),
            controller_manager: self.surroundings.controller_manager,
            kubelet: self.surroundings.of_new(self.new_revision(), self.shown.as_ref()).collect(),
            ..Assumptions::default()
        }
    }

    /// The revision of the new version of the shown Deployment. In a running cluster, there is one only if its template was edited.
    pub fn new_revision(&self) -> Option<i64> {
        if !self.is_live() {
            return Some(SECOND_REVISION);
        }
        let mut old = self.old_documents().map(|document| &document.value);
        let is_shown = |value: &&Value| self.shown.is_some() && workload_name(value) == self.shown;
        let uid = old.find(is_shown)?.pointer("/metadata/uid")?.as_str()?;
        let objects = self.old_documents().map(|document| &document.value);
        new_revision(objects, uid, &self.shown_document()?.value)
    }

    /// When the state of the running cluster was read: never before its newest time.
    fn reading_time(&self) -> Option<Time> {
        let newest = self.newest_time();
        match &self.read_at {
            ReadAt::NewestTime => newest,
            ReadAt::Given(now) => {
                let now = Time::parse(now);
                newest.zip(now).map(|(newest, now)| reading_time(newest, now)).or(newest).or(now)
            }
            ReadAt::Known(time) => Time::parse(time).max(newest),
        }
    }

    /// The newest time in the objects before the change.
    pub fn newest_time(&self) -> Option<Time> {
        let newest_time_of = |document: &Document| newest_time(slice::from_ref(&document.value));
        *self.newest_time.get_or_init(|| self.old_documents().filter_map(newest_time_of).max())
    }

    /// Whether a running cluster gave the text.
    pub fn is_live(&self) -> bool {
        self.old_documents().any(|document| is_live_pod(&document.value))
    }

    /// Whether the text has the nodes.
    pub fn has_nodes(&self) -> bool {
        self.old_documents().any(|document| is_of_kind(&document.value, "Node"))
    }

    /// The nodes that are assumed: none if the text has some, or pods of a running cluster, which name theirs.
    pub fn assumed_nodes(&self) -> &[Node] {
        if self.has_nodes() || self.is_live() { &[] } else { &self.surroundings.nodes }
    }

    /// The objects before the change.
    pub fn old(&self) -> Vec<Value> {
        self.old_documents().map(|document| document.value.clone()).collect()
    }

    /// The documents before the change; without the shown one if it is created.
    fn old_documents(&self) -> impl Iterator<Item = &Document> {
        let created = self.shown_index.filter(|_| self.before.is_none() && self.change == ManifestChange::Create);
        let documents = self.before.as_ref().unwrap_or(&self.text).iter().enumerate();
        documents.filter(move |(index, _)| Some(*index) != created).map(|(_, document)| document)
    }

    /// The objects that the change brings.
    pub fn changed(&self) -> Vec<Value> {
        let shown = || self.shown_document().into_iter();
        match &self.change {
            _ if self.before.is_some() => values(&self.text),
            ManifestChange::Image(image) => shown().map(|shown| with_image(shown, image)).collect(),
            ManifestChange::Create => shown().map(|shown| shown.value.clone()).collect(),
            ManifestChange::Nothing | ManifestChange::Difference => Vec::new(),
        }
    }

    /// The manifests after the change: all of them. Of a running cluster, what the change brings, since the rest stays as it is.
    pub fn after(&self) -> Vec<Value> {
        if self.before.is_some() || self.is_live() {
            return self.changed();
        }
        let others = self.text.iter().enumerate().filter(|(index, _)| Some(*index) != self.shown_index);
        others.map(|(_, document)| document.value.clone()).chain(self.changed()).collect()
    }

    /// The key of the shown Deployment; none if another kind is shown.
    pub fn shown_deployment(&self) -> Option<ObjectKey> {
        let WorkloadName { kind, namespace, name } = self.shown.as_ref()?;
        (*kind == WorkloadKind::Deployment).then(|| ObjectKey::new(Kind::Deployment, namespace.as_str(), name.as_str()))
    }

    /// The second rollout of the Deployment that is shown, if it is asked for.
    pub fn second_rollout(&self) -> Option<TimedAction> {
        let shown = self.shown.as_ref().filter(|shown| shown.kind == WorkloadKind::Deployment)?;
        self.surroundings.restart.as_ref().map(|restart| restart.action(shown))
    }

    /// The rollouts of the other Deployments, if they are asked for and a Deployment is shown.
    pub fn rollouts_of_others(&self) -> Vec<TimedAction> {
        let shown = self.shown.as_ref().filter(|shown| shown.kind == WorkloadKind::Deployment);
        let Some((shown, restart)) = shown.zip(self.surroundings.others_restart.as_ref()) else { return Vec::new() };
        let names = self.old_documents().filter_map(|document| workload_name(&document.value));
        let others = names.filter(|name| name.kind == WorkloadKind::Deployment && name != shown);
        others.map(|other| restart.action(&other)).collect()
    }

    /// The Deployments beside the one that is shown.
    pub fn other_deployments(&self) -> impl Iterator<Item = OtherDeployment> {
        self.others().map(|(_, value, WorkloadName { namespace, name, .. })| {
            let [replicas, cpu, memory] = ["/spec/replicas", FIRST_CPU, FIRST_MEMORY]
                .map(|path| value.pointer(path).cloned().unwrap_or_default());
            OtherDeployment { namespace, name, replicas, cpu, memory }
        })
    }

    /// The same, with their positions among the documents.
    fn others(&self) -> impl Iterator<Item = (usize, &Value, WorkloadName)> {
        let others = self.text.iter().enumerate().filter(|(_, document)| !self.is_shown(document));
        let named = others.filter_map(|(index, Document { value, .. })| Some((index, value, workload_name(value)?)));
        named.filter(|(_, _, name)| name.kind == WorkloadKind::Deployment)
    }

    /// The containers of the shown workload's pods, before the change and after it.
    fn containers(&self) -> impl Iterator<Item = &Value> {
        let shown = self.old_documents().chain(&self.text).filter(|document| self.is_shown(document));
        shown.filter_map(|document| document.value.pointer(CONTAINERS)?.as_array()).flatten()
    }

    /// Whether the shown workload's pods have startup or readiness probes.
    pub fn has_probes(&self) -> bool {
        let is_there = |container: &Value, probe: &str| container.get(probe).is_some_and(Value::is_object);
        self.containers()
            .any(|container| ["startupProbe", "readinessProbe"].iter().any(|probe| is_there(container, probe)))
    }

    /// The preStop hooks of the shown workload's pods, before the change and after it.
    pub fn pre_stop_hooks(&self) -> Option<PreStopHooks> {
        let hooks = self.containers().filter_map(|container| PreStopHook::of(container.get("lifecycle")?));
        hooks.fold(None, |known, hook| {
            let known: PreStopHooks = known.unwrap_or_default();
            Some(match hook {
                PreStopHook::Sleep(sleep) => PreStopHooks { sleep: known.sleep.max(Some(sleep.0)), ..known },
                PreStopHook::Other => PreStopHooks { has_others: true, ..known },
            })
        })
    }

    /// The longest sleep of the preStop hooks of the shown workload, in seconds, as the control shows it; null if it has no hook.
    /// None if no control can change it: a hook does something else before the change or after it, or runs a command that sleeps.
    fn sleep_of_hooks(&self) -> Option<Value> {
        let is_sleep = |container: &Value| {
            let hook = container.get("lifecycle").and_then(PreStopHook::of);
            hook.is_none() || seconds_of_sleep(container).is_some()
        };
        let containers = self.shown_document()?.value.pointer(CONTAINERS)?.as_array()?;
        let longest = containers.iter().filter_map(seconds_of_sleep).max();
        self.containers().all(is_sleep).then(|| longest.map_or(Value::Null, Value::from))
    }

    /// The Nodes, if controls can change them: they are manifests, and there is only one text.
    fn equal_nodes(&self) -> Option<EqualNodes<'_>> {
        if self.before.is_some() || self.is_live() { None } else { EqualNodes::of(&self.text) }
    }

    /// The names of all workloads that can be shown.
    pub fn workloads(&self) -> Vec<WorkloadName> {
        workloads(&self.text)
    }

    /// Whether the shown workload is a Job or CronJob that may have only one `podReplacementPolicy`.
    pub fn has_one_policy(&self) -> bool {
        self.job_spec().is_some_and(|spec| spec.get("podFailurePolicy").is_some())
    }

    /// The spec of the shown Job, or of the Jobs of the shown CronJob.
    fn job_spec(&self) -> Option<&Value> {
        let path = match self.shown.as_ref()?.kind {
            WorkloadKind::Job => "/spec",
            WorkloadKind::CronJob => "/spec/jobTemplate/spec",
            _ => return None,
        };
        self.shown_document()?.value.pointer(path)
    }

    /// Puts the shown CronJob into a scenario, which predictions do without. `has_other_policy`: its Jobs have the other one
    /// of their two policies.
    pub fn put_cron_job(&self, scenario: &mut Scenario, has_other_policy: bool) {
        let is_shown = |shown: &&WorkloadName| shown.kind == WorkloadKind::CronJob;
        let Some((shown, document)) = self.shown.as_ref().filter(is_shown).zip(self.shown_document()) else { return };
        let mut cron_job = document.value.clone();
        if let Some(metadata) = cron_job.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.insert("namespace".to_owned(), json!(shown.namespace));
        }
        let is_failed = self.job_spec().and_then(|spec| spec.get("podReplacementPolicy")) == Some(&json!("Failed"));
        let spec = cron_job.pointer_mut("/spec/jobTemplate/spec").and_then(Value::as_object_mut);
        if let Some(spec) = spec.filter(|_| has_other_policy) {
            let other = if is_failed { "TerminatingOrFailed" } else { "Failed" };
            spec.insert("podReplacementPolicy".to_owned(), json!(other));
        }
        if let Some(time) = time_of_runs(&cron_job, scenario) {
            scenario.limits = Limits { time, ..scenario.limits.clone() };
        }
        if is_stored(&cron_job) {
            scenario.objects.extend([cron_job]);
        } else {
            scenario.actions.push(TimedAction { at: Duration(0), action: Action::Create(Rc::new(cron_job)) });
        }
    }

    /// Whether a document is the workload that is shown.
    pub fn is_shown(&self, document: &Document) -> bool {
        self.shown.is_some() && workload_name(&document.value) == self.shown
    }

    fn shown_document(&self) -> Option<&Document> {
        self.text.get(self.shown_index?)
    }

    /// A patch of the shown Deployment that leaves its replicas alone if it removes them and the text has none: an autoscaler may
    /// decide them.
    pub fn without_absent_replicas(&self, mut patch: Value) -> Value {
        let written = self.shown_document().and_then(|document| document.value.pointer("/spec/replicas"));
        if written.is_none_or(Value::is_null)
            && let Some(spec) = patch.get_mut("spec").and_then(Value::as_object_mut)
            && spec.get("replicas").is_some_and(Value::is_null)
        {
            spec.remove("replicas");
        }
        patch
    }

    /// The value of a field in the text; null if it is not there. None if no control can change it. `added`: the limits that
    /// the controls add.
    fn value(&self, path: FieldPath<'_>, added: &[Value]) -> Option<Value> {
        let (document, pointer) = match path {
            FieldPath::Workload(path) => (Some(self.shown_document()?), pointer(&self.own_path(path)?)),
            FieldPath::Limit { kind, pointer } => {
                let limit = match self.limits(&self.text, kind).as_slice() {
                    [] if self.has_namesake(kind, added) => return None,
                    [] => None,
                    // A budget limits either the available or the unavailable pods.
                    [(_, only)] if only.value.pointer("/spec/maxUnavailable").is_none() => Some(*only),
                    _ => return None,
                };
                (limit, pointer.to_owned())
            }
            FieldPath::PreStop => return self.sleep_of_hooks(),
            FieldPath::Nodes(path) => return self.equal_nodes().map(|nodes| nodes.value(path)),
        };
        Some(document.and_then(|document| document.value.pointer(&pointer)).cloned().unwrap_or_default())
    }

    /// The path of a field of the shown workload, with the index of its container: that of the only one, or of the only one with
    /// the field's probe. None if there is no such container, or several. The delay is that of the startup probe, if any
    /// container has one.
    fn own_path(&self, path: &str) -> Option<String> {
        let Some(field) = path.strip_prefix(FIRST_CONTAINER) else { return Some(path.to_owned()) };
        let containers = self.shown_document()?.value.pointer(CONTAINERS)?.as_array()?;
        let has = |container: &Value, probe: &str| container.get(probe).is_some_and(Value::is_object);
        if field == "readinessProbe.initialDelaySeconds" && containers.iter().any(|it| has(it, "startupProbe")) {
            return None;
        }
        let mut fitting = containers.iter().enumerate().filter(|(_, container)| match field.split_once('.') {
            Some((probe @ ("startupProbe" | "readinessProbe"), _)) => has(container, probe),
            _ => true,
        });
        let (index, _) = fitting.next()?;
        fitting.next().is_none().then(|| format!("spec.template.spec.containers.{index}.{field}"))
    }

    /// The ResourceQuotas or PodDisruptionBudgets for the shown workload's pods, with their positions. Quotas with scopes are not
    /// simulated.
    fn limits<'a>(&self, documents: &'a [Document], kind: &str) -> Vec<(usize, &'a Document)> {
        let Some((name, shown)) = self.shown.as_ref().zip(self.shown_document()) else { return Vec::new() };
        let labels = shown.value.pointer("/spec/template/metadata/labels");
        let is_of_pods = |value: &Value| {
            let spec = |field: &str| value.get("spec").and_then(|spec| spec.get(field)).filter(|it| !it.is_null());
            match kind {
                "ResourceQuota" => spec("scopes").or(spec("scopeSelector")).is_none(),
                _ => spec("selector").is_some_and(|selector| selects(selector, labels)),
            }
        };
        let limits = documents.iter().enumerate().filter(|(_, Document { value, .. })| {
            is_of_kind(value, kind) && namespace(value) == name.namespace && is_of_pods(value)
        });
        limits.collect()
    }

    /// Whether another object already has the name of a limit that the controls would add. That object limits other pods, or is
    /// not simulated.
    fn has_namesake(&self, kind: &str, added: &[Value]) -> bool {
        let added = added.iter().filter(|limit| is_of_kind(limit, kind));
        let mut added = added.filter_map(|limit| self.limit_for_shown(limit));
        added.any(|limit| self.text.iter().any(|document| is_same_object(&document.value, &limit)))
    }

    /// The fields that have a control, with their values in the text; none if there is no workload.
    pub fn fields(&self, fields: &[KindFields]) -> Vec<FieldValue> {
        let Some(own) = self.own_fields(fields) else { return Vec::new() };
        let field = |path: &String| {
            let value = self.value(FieldPath::parse(path), &own.limits)?;
            Some(FieldValue { path: path.clone(), value })
        };
        own.fields.iter().filter_map(|known| field(&known.path)).collect()
    }

    /// Those of the shown workload's kind.
    fn own_fields<'a>(&self, fields: &'a [KindFields]) -> Option<&'a KindFields> {
        fields.iter().find(|fields| self.shown.as_ref().is_some_and(|shown| shown.kind == fields.kind))
    }

    /// Whether the text already has the value of a control, perhaps by default, with a unit or as a quantity in quotes, or no
    /// control can change it. `added`: as for [`Texts::value`].
    fn matches_text(&self, path: FieldPath<'_>, value: &Value, added: &[Value]) -> bool {
        let Some(written) = self.value(path, added) else { return true };
        let means_same = || match path {
            FieldPath::Workload(path) => written.is_null() && DEFAULTS.contains(&(path, value.as_str().unwrap_or(""))),
            FieldPath::PreStop => whole_seconds(value).is_some_and(|seconds| written == json!(seconds)),
            FieldPath::Nodes(_) | FieldPath::Limit { .. } => false,
        };
        let quoted = written.as_str().filter(|_| path.is_quantity());
        let unquoted = || quoted.and_then(|text| serde_json::from_str::<Value>(text).ok());
        written == *value || means_same() || unquoted().as_ref() == Some(value)
    }

    /// Writes fields into the text of the shown workload, into that of its limits, and into that of the Nodes.
    pub fn write(&self, text: &str, fields: &[KindFields]) -> WrittenText {
        let mut written = WrittenText::default();
        let (Some(own), Some(index)) = (self.own_fields(fields), self.shown_index) else { return written };
        let fields = own.fields.iter().map(|field| (FieldPath::parse(&field.path), &field.value));
        let fields: Vec<(FieldPath<'_>, &Value)> = fields.collect();
        let is_changed = |path: FieldPath<'_>, value: &Value| !self.matches_text(path, value, &own.limits);
        for (path, value) in &fields {
            let FieldPath::Workload(name) = *path else { continue };
            let Some(own_path) = self.own_path(name).filter(|_| is_changed(*path, value)) else { continue };
            let keys: Vec<&str> = own_path.split('.').collect();
            let changed = with_field(written.current(text), index, &keys, non_null(value));
            written.take(changed, name);
        }
        for (path, value) in &fields {
            if matches!(path, FieldPath::PreStop) && is_changed(*path, value) {
                let changed = self.with_sleep(written.current(text), value);
                written.take(changed, "lifecycle.preStop.sleep.seconds (whole seconds, at most the grace period)");
            }
        }
        if own.kind == WorkloadKind::Deployment {
            self.write_others(text, &own.other_replicas, &mut written);
        }
        for limit in &own.limits {
            let kind = limit.get("kind").and_then(Value::as_str).unwrap_or_default();
            let limit_fields = fields.iter().filter_map(|(path, value)| match *path {
                FieldPath::Limit { kind: of, pointer } if of == kind => {
                    Some(LimitField { pointer, value, is_changed: is_changed(*path, value) })
                }
                _ => None,
            });
            let limit_fields: Vec<LimitField<'_>> = limit_fields.collect();
            if limit_fields.iter().any(|field| field.is_changed) {
                let changed = self.with_limit(written.current(text), kind, limit, &limit_fields);
                written.take(changed, kind);
            }
        }
        let of_nodes = fields.iter().filter_map(|(path, value)| match *path {
            FieldPath::Nodes(pointer) => Some((pointer, *value, is_changed(*path, value))),
            _ => None,
        });
        let of_nodes: Vec<(&str, &Value, bool)> = of_nodes.collect();
        if of_nodes.iter().any(|(.., is_changed)| *is_changed) {
            self.write_nodes(text, &of_nodes, &own.nodes, &mut written);
        }
        written
    }

    /// Writes what the controls say about the Nodes, unless that can't be meant. `values`: by path, and whether the text has
    /// another value.
    fn write_nodes(&self, text: &str, values: &[(&str, &Value, bool)], added: &[Value], written: &mut WrittenText) {
        let has_nodes = self.has_nodes();
        // An amount of the text may be in quotes.
        let said = values.iter().filter(|(path, _, is_changed)| *is_changed || !path.starts_with("/status"));
        let said: Vec<(&str, &Value)> = said.map(|(path, value, _)| (*path, *value)).collect();
        let Some(controls) = NodeControls::of(&said, added).filter(|_| has_nodes || !added.is_empty()) else { return };
        let changed = controls.write(written.current(text));
        written.take(changed, "Node");
    }

    /// The text with this sleep in each preStop hook that sleeps, or in all containers if no hook does; null removes the sleep.
    /// `None` if the API server would refuse the value.
    fn with_sleep(&self, text: &str, value: &Value) -> Option<String> {
        let index = self.shown_index?;
        let documents = parse(text).ok()?;
        let workload = &documents.get(index)?.value;
        let grace_period =
            workload.pointer("/spec/template/spec/terminationGracePeriodSeconds").and_then(Value::as_i64);
        let longest = u64::try_from(grace_period.unwrap_or(DEFAULT_GRACE_PERIOD)).unwrap_or_default();
        let seconds = match value {
            Value::Null => None,
            value => Some(Value::from(whole_seconds(value).filter(|seconds| *seconds <= longest)?)),
        };
        let containers = workload.pointer(CONTAINERS)?.as_array()?;
        let sleep = |container: &Value| seconds_of_sleep(container).is_some();
        let is_missing = !containers.iter().any(sleep);
        let changed = containers.iter().enumerate().filter(|(_, container)| is_missing || sleep(container));
        changed.map(|(number, _)| number.to_string()).try_fold(text.to_owned(), |text, number| {
            let path: Vec<&str> =
                PRE_STOP.split('.').map(|key| if key == "0" { number.as_str() } else { key }).collect();
            with_field(&text, index, &path, seconds.as_ref())
        })
    }

    /// The text with the values of the controls in a limit of this kind. If there is no such limit, it is added. A limit that
    /// only the controls wrote is removed once all its fields are empty. A limit that somebody else wrote stays, without those
    /// fields.
    fn with_limit(&self, text: &str, kind: &str, limit: &Value, fields: &[LimitField<'_>]) -> Option<String> {
        let documents = parse(text).ok()?;
        let limit = self.limit_for_shown(limit)?;
        let Some((index, found)) = self.limits(&documents, kind).first().copied() else {
            return with_documents(text, &[limit]);
        };
        let is_empty = fields.iter().all(|field| field.value.is_null());
        if is_empty
            && without_fields(&found.value, fields) == limit
            && let Some(changed) = without_document(text, &found.value)
        {
            return Some(changed);
        }
        fields.iter().filter(|field| field.is_changed).try_fold(text.to_owned(), |text, field| {
            let keys: Vec<&str> = field.pointer.split('/').skip(1).collect();
            with_field(&text, index, &keys, non_null(field.value))
        })
    }

    /// A limit of the controls, for the shown workload's pods.
    fn limit_for_shown(&self, limit: &Value) -> Option<Value> {
        let shown = &self.shown_document()?.value;
        let mut limit = limit.clone();
        if let Some(selector) = limit.pointer_mut("/spec/selector") {
            *selector = shown.pointer("/spec/selector")?.clone();
            *limit.pointer_mut("/metadata/name")? = shown.pointer("/metadata/name")?.clone();
        }
        let metadata = limit.pointer_mut("/metadata")?.as_object_mut()?;
        metadata.remove("namespace");
        let namespace = shown.pointer("/metadata/namespace").cloned();
        metadata.extend(namespace.map(|namespace| ("namespace".to_owned(), namespace)));
        Some(limit)
    }

    /// Writes the replicas of the other Deployments. For the state of a running cluster, there is no control for them.
    fn write_others(&self, text: &str, replicas: &[i32], written: &mut WrittenText) {
        let others: Vec<(usize, &Value, WorkloadName)> = self.others().collect();
        let has_control = !self.is_live() && (1..=MAX_OTHER_DEPLOYMENTS).contains(&others.len());
        if !has_control {
            return;
        }
        if replicas.len() != others.len() {
            written.unwritten.push("the number of other Deployments".to_owned());
            return;
        }
        for ((index, value, name), replicas) in others.into_iter().zip(replicas) {
            let replicas = json!(replicas);
            let said = value.pointer("/spec/replicas").filter(|said| !said.is_null());
            if *said.unwrap_or(&json!(1)) == replicas {
                continue;
            }
            let changed = with_field(written.current(text), index, &["spec", "replicas"], Some(&replicas));
            written.take(changed, &format!("spec.replicas of {}", name.name));
        }
    }

    /// The problems of the plan, with their lines. The paths of the core name the list and the index:
    /// `old[3].spec.replicas`.
    pub fn locate(&self, problem: &Problem) -> Vec<LineProblem> {
        let problems = [problem].into_iter().chain(&problem.more);
        let locate = |problem: &Problem| match self.find(&problem.path) {
            Some((text, document, path)) => located(Severity::Error, text, document, path, problem.message.clone()),
            None => around(problem),
        };
        problems.map(locate).collect()
    }

    fn find<'a>(&'a self, path: &'a str) -> Option<(ManifestText, &'a Document, &'a str)> {
        let (list, rest) = path.split_once('[')?;
        let (index, below) = rest.split_once(']')?;
        let index: usize = index.parse().ok()?;
        let below = below.strip_prefix('.').unwrap_or(below);
        match (list, &self.before) {
            ("old", Some(before)) => Some((ManifestText::Before, before.get(index)?, below)),
            ("old", None) => Some((ManifestText::Text, self.old_documents().nth(index)?, below)),
            ("new", Some(_)) => Some((ManifestText::Text, self.text.get(index)?, below)),
            ("new", None) => Some((ManifestText::Text, self.shown_document()?, below)),
            _ => None,
        }
    }
}

/// A text into which fields were written.
#[derive(Default)]
pub(crate) struct WrittenText {
    /// The text; none if nothing had to be written.
    pub text: Option<String>,
    /// The paths of the fields, and the kinds of the limits, that could not be written.
    pub unwritten: Vec<String>,
}

impl WrittenText {
    /// The text with all changes so far. `text`: the text without them.
    fn current<'a>(&'a self, text: &'a str) -> &'a str {
        self.text.as_deref().unwrap_or(text)
    }

    /// Takes the changed text; none if `what` could not be written.
    fn take(&mut self, changed: Option<String>, what: &str) {
        match changed {
            Some(changed) => self.text = Some(changed),
            None => self.unwritten.push(what.to_owned()),
        }
    }
}

/// Where a field that has a control is.
#[derive(Clone, Copy)]
enum FieldPath<'a> {
    /// In the shown workload: `spec.replicas`.
    Workload(&'a str),
    /// The sleep of the preStop hooks of its containers.
    PreStop,
    /// In an object that limits its pods: `/spec/hard/pods` in a `ResourceQuota`.
    Limit { kind: &'a str, pointer: &'a str },
    /// Of all Nodes: `/count`, or `/status/allocatable/pods` in each.
    Nodes(&'a str),
}

impl<'a> FieldPath<'a> {
    /// The path of a [`FieldValue`].
    fn parse(path: &'a str) -> Self {
        match path.find('/').and_then(|slash| path.split_at_checked(slash)) {
            Some(("Node", pointer)) => Self::Nodes(pointer),
            Some((kind, pointer)) => Self::Limit { kind, pointer },
            None if path == PRE_STOP => Self::PreStop,
            None => Self::Workload(path),
        }
    }

    /// Whether the field is a quantity, which may be in quotes. Other fields with a number in quotes are invalid.
    fn is_quantity(self) -> bool {
        match self {
            Self::Workload(path) => path.contains(".resources.requests."),
            Self::Limit { kind, .. } => kind == "ResourceQuota",
            Self::Nodes(_) => true,
            Self::PreStop => false,
        }
    }
}

/// A field of a limit that has a control.
struct LimitField<'a> {
    /// Where it is in the limit: `/spec/hard/pods`.
    pointer: &'a str,
    /// The value of the control; null if it is empty.
    value: &'a Value,
    /// Whether the text has another value.
    is_changed: bool,
}

fn non_null(value: &Value) -> Option<&Value> {
    Some(value).filter(|value| !value.is_null())
}

/// A limit without its fields that have controls.
fn without_fields(limit: &Value, fields: &[LimitField<'_>]) -> Value {
    let mut left = limit.clone();
    for (around, key) in fields.iter().filter_map(|field| field.pointer.rsplit_once('/')) {
        if let Some(map) = left.pointer_mut(around).and_then(Value::as_object_mut) {
            map.remove(key);
        }
    }
    left
}

/// Whether a selector selects pods with these labels.
fn selects(selector: &Value, labels: Option<&Value>) -> bool {
    let labels: Strings = labels.and_then(|labels| decode(labels, "").ok()).unwrap_or_default();
    let selector: Option<LabelSelector> = decode(selector, "").ok();
    LabelSelector::to_selector(selector.as_ref()).is_ok_and(|selector| selector.matches(&labels))
}

/// The JSON pointer of a path of plain keys.
fn pointer(path: &str) -> String {
    format!("/{}", path.replace('.', "/"))
}

/// The first problem of a text, for those who show it beside the list of all.
pub(crate) fn first(problems: Vec<LineProblem>) -> Problem {
    let first = problems.into_iter().next();
    first.map_or_else(|| Problem::new("", "Invalid value"), |problem| Problem::new(problem.path, problem.message))
}

fn around(problem: &Problem) -> LineProblem {
    let (path, message) = (problem.path.clone(), problem.message.clone());
    LineProblem { severity: Severity::Error, text: ManifestText::Surroundings, line: None, column: None, path, message }
}

/// What changes: what differs between two texts, nothing in a running cluster, else the shown Deployment's image; a Job or
/// CronJob is created.
fn change(text: &[Document], has_before: bool, shown: Option<(WorkloadKind, &Document)>) -> ManifestChange {
    let is_new = shown.is_some_and(|(_, document)| !is_stored(&document.value));
    match shown {
        // Only Deployments and Jobs can be updated.
        Some((WorkloadKind::CronJob, _)) if is_new => return ManifestChange::Create,
        _ if has_before => return ManifestChange::Difference,
        Some((WorkloadKind::Job, _)) if is_new => return ManifestChange::Create,
        _ => {}
    }
    let image = shown.and_then(|(_, document)| document.value.pointer(FIRST_IMAGE)).and_then(Value::as_str);
    match image {
        Some(image) if !text.iter().any(|document| is_live_pod(&document.value)) => {
            ManifestChange::Image(next_image(image))
        }
        _ => ManifestChange::Nothing,
    }
}

/// Where the containers of a Deployment's or a Job's pods are, and fields of the first one.
const CONTAINERS: &str = "/spec/template/spec/containers";
const FIRST_CONTAINER: &str = "spec.template.spec.containers.0.";
const FIRST_IMAGE: &str = "/spec/template/spec/containers/0/image";
const FIRST_CPU: &str = "/spec/template/spec/containers/0/resources/requests/cpu";
const FIRST_MEMORY: &str = "/spec/template/spec/containers/0/resources/requests/memory";

/// The path of the control of the preStop hooks. It writes into several containers.
const PRE_STOP: &str = "spec.template.spec.containers.0.lifecycle.preStop.sleep.seconds";

/// How long the preStop hook of a container sleeps, if that is all it says.
fn seconds_of_sleep(container: &Value) -> Option<u64> {
    let hook = container.pointer("/lifecycle/preStop")?.as_object().filter(|hook| hook.len() == 1)?;
    hook.get("sleep")?.get("seconds")?.as_u64()
}

/// The whole seconds of a number, or of a time with a unit.
fn whole_seconds(value: &Value) -> Option<u64> {
    let of_text = || {
        let time = Duration::parse(value.as_str()?)?;
        let seconds = time.0.div_euclid(Time::SECOND);
        if Duration::seconds(seconds) == time { u64::try_from(seconds).ok() } else { None }
    };
    value.as_u64().or_else(of_text)
}

fn with_image(document: &Document, image: &str) -> Value {
    let mut value = document.value.clone();
    if let Some(first) = value.pointer_mut(FIRST_IMAGE) {
        *first = json!(image);
    }
    value
}

/// The image with another tag.
fn next_image(image: &str) -> String {
    let without_digest = image.split_once('@').map_or(image, |(name, _)| name);
    let tag = without_digest.rfind(':').filter(|colon| !without_digest.get(*colon..).unwrap_or("").contains('/'));
    let name = tag.and_then(|colon| without_digest.get(..colon)).unwrap_or(without_digest);
    format!("{name}:{NEXT_TAG}")
}

/// Nodes as JSON.
pub(crate) fn node_values(nodes: &[Node]) -> Vec<Value> {
    nodes.iter().map(changeover_core::json::ToJson::to_json).collect()
}

pub(crate) fn values(documents: &[Document]) -> Vec<Value> {
    documents.iter().map(|document| document.value.clone()).collect()
}

/// The workloads that can be shown: Deployments first.
fn workloads(documents: &[Document]) -> Vec<WorkloadName> {
    let has_nodes = documents.iter().any(|document| is_of_kind(&document.value, "Node"));
    // In a running cluster whose nodes are not given, it would have no pods.
    let is_drawn =
        |value: &&Value| has_nodes || !is_of_kind(value, "DaemonSet") || value.pointer("/metadata/uid").is_none();
    let values = documents.iter().map(|document| &document.value);
    let mut workloads: Vec<WorkloadName> = values.filter(is_drawn).filter_map(workload_name).collect();
    workloads.sort_by_key(|workload| workload.kind != WorkloadKind::Deployment);
    workloads
}

/// Of several Deployments of a running cluster, the one that is stuck and has the fewest available pods.
fn stuck_one(documents: &[Document], workloads: &[WorkloadName]) -> Option<WorkloadName> {
    if workloads.len() < 2 || !documents.iter().any(|document| is_live_pod(&document.value)) {
        return None;
    }
    let objects = values(documents);
    let stuck = stuck_pods(&objects, newest_time(&objects)?);
    let is_stuck = |shown: &&WorkloadName| {
        stuck.iter().any(|pod| *pod.deployment.namespace == *shown.namespace && *pod.deployment.name == *shown.name)
    };
    let available = |shown: &&WorkloadName| {
        let object = objects.iter().find(|object| workload_name(object).as_ref() == Some(*shown));
        let count = |pointer: &str| object.and_then(|object| object.pointer(pointer)).and_then(Value::as_i64);
        let available = count("/status/availableReplicas").unwrap_or(0).saturating_mul(100);
        available.checked_div(count("/spec/replicas").unwrap_or(1))
    };
    let deployments = workloads.iter().filter(|workload| workload.kind == WorkloadKind::Deployment);
    deployments.filter(is_stuck).min_by_key(available).cloned()
}

/// The name of a workload that can be shown; none for another object.
fn workload_name(value: &Value) -> Option<WorkloadName> {
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let kind = WorkloadKind::of_name(value.get("kind")?.as_str()?)?;
    // A kind of somebody else's API group is another one.
    let group = text("/apiVersion").and_then(|version| version.split_once('/')).map_or("", |(group, _)| group);
    if group.contains('.') {
        return None;
    }
    let is_hook = value.pointer("/metadata/annotations").is_some_and(|all| all.get(HELM_HOOK).is_some());
    // Helm runs it at a time of its own.
    if kind == WorkloadKind::Job && is_hook && !is_stored(value) {
        return None;
    }
    Some(WorkloadName { kind, namespace: namespace(value).to_owned(), name: text("/metadata/name")?.to_owned() })
}

/// How long a CronJob is followed: until after the last of its first runs.
fn time_of_runs(cron_job: &Value, scenario: &Scenario) -> Option<Duration> {
    let text = |pointer: &str| cron_job.pointer(pointer).and_then(Value::as_str);
    let runs = upcoming(text("/spec/schedule")?, text("/spec/timeZone"), scenario.start, FOLLOWED_RUNS).ok()?;
    let last = runs.last()?.since(scenario.start);
    Some(Duration(last.saturating_add(AFTER_LAST_RUN.0)))
}

/// Whether two values are the same object: with the same kind, namespace and name.
fn is_same_object(value: &Value, other: &Value) -> bool {
    let has_same = |pointer: &str| value.pointer(pointer) == other.pointer(pointer);
    has_same("/kind") && has_same("/metadata/name") && namespace(value) == namespace(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_image_has_another_tag() {
        for (image, next) in [
            ("web", "web:next"),
            ("web:v1", "web:next"),
            ("registry:5000/web", "registry:5000/web:next"),
            ("registry:5000/web:v1@sha256:0a", "registry:5000/web:next"),
        ] {
            assert_eq!(next_image(image), next);
        }
    }
}
