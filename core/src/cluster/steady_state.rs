//! Deployments that have come to rest, and then are changed; and Jobs and CronJobs that are created, and then are changed.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::aux_objects::aux_kind;
use super::kinds::{self, workload_of};
use super::manifest::admit_create;
use super::merge_patch::{apply_diff, merge};
use super::recorder::too_many_pods;
use super::simulation::Simulation;
use super::step::EndReason;
use super::workload::{Start, Workload, quoted_names, without_status};
use crate::Problem;
use crate::feature_gates::{FeatureGates, Gates};
use crate::go::quoted;
use crate::json::{FromJson, ToJson, decode};
use crate::object::unstructured::{existing_map, string};
use crate::object::{Kind, Object, PodSpecFields, Time, require_kind};
use crate::problem::shortened;
use crate::scenario::{
    Action, ControllerManager, Delay, Duration, Limits, Manifest, Mode, Node, NodeForm, Scale, Scenario, SetTemplate,
    ShortPods, TimedAction, Timing, is_simulated, read_node,
};

/// How many seconds before the start objects are created that come to rest, and for how many they are simulated.
pub(super) const CREATED_BEFORE: i64 = 3600;
pub(crate) const AT_REST_AFTER: i64 = 1800;

/// How many seconds earlier they are created, and how much longer they are simulated, so that pods with this minReadySeconds are
/// available at rest.
pub(super) fn earlier_for(min_ready_seconds: i32) -> i64 {
    i64::from(min_ready_seconds).saturating_sub(AT_REST_AFTER.div_euclid(2)).max(0)
}

/// How long Jobs that have just begun have run by then, in truth: until all their pods are ready.
const JOBS_RUN: Duration = Duration::seconds(20);

/// How long after its creation a Job or CronJob is changed.
const AFTER_CREATION: Duration = Duration::seconds(5);

/// Changes to a Deployment whose rollout is complete, or to a Job or CronJob that has been created, and the cluster in
/// which they happen.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Changes {
    /// A new image for the first container, which starts a rollout.
    #[json(omitempty)]
    pub image: Option<String>,
    /// A new number of replicas, through the scale subresource; for a Job, a new parallelism. A CronJob has neither.
    #[json(omitempty)]
    pub replicas: Option<i64>,
    /// Anything else: merged into the Deployment, Job or CronJob (RFC 7386), as `kubectl patch --type merge` does.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::scenario::schema::Manifest>"))]
    pub patch: Option<Value>,
    /// The whole new manifest of the Deployment, Job or CronJob, as `kubectl apply` applies it: fields that only the first
    /// manifest has are removed. In a list, other objects beside it are applied, too, just before it.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::scenario::schema::ManifestOrList>"))]
    pub to: Option<Value>,
    /// Objects that exist beside the Deployment, Job or CronJob: ResourceQuotas, PodDisruptionBudgets, other
    /// Deployments and all other kinds that a scenario accepts. Jobs and CronJobs among them are created at the start.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::scenario::schema::Manifest>"))]
    pub objects: Vec<Value>,
    /// How long after the start the changes happen. By default, they happen at the start, and those of a Job or CronJob `5s` after its
    /// creation. Where nothing changes, it has no effect.
    #[json(omitempty)]
    pub at: Option<Duration>,
    /// Feature gates that differ from the defaults. Without any, the proposed gate DeploymentPodReplacementPolicy is on where
    /// a manifest has a `podReplacementPolicy`, since an API server without the gate would drop the field.
    #[cfg_attr(feature = "schema", schemars(with = "crate::scenario::schema::FeatureGates"))]
    #[json(omitempty)]
    pub feature_gates: Value,
    /// The nodes of the cluster, as Node objects or as a scenario has them (`{ name, pods, cpu, memory }`); by default,
    /// one node without limits.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::scenario::schema::Manifest>"))]
    pub nodes: Vec<Value>,
    /// How fast pods start and end; the first entry that fits a pod is used.
    #[json(omitempty)]
    pub kubelet: Vec<Timing>,
    /// How closely to follow the timing of a real control plane; exact by default.
    #[json(omitempty)]
    pub mode: Option<Mode>,
    /// How many requests a second kube-controller-manager's controllers may send, and how long these take; by default, the
    /// mode decides.
    #[json(omitempty)]
    pub controller_manager: Option<ControllerManager>,
    /// The seed of all randomness, such as names and jitter; 0 by default.
    pub seed: u64,
    /// The limits at which the simulation stops.
    pub limits: Limits,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            image: None,
            replicas: None,
            patch: None,
            to: None,
            objects: Vec::new(),
            at: None,
            feature_gates: Value::Null,
            nodes: Vec::new(),
            kubelet: Vec::new(),
            mode: None,
            controller_manager: None,
            seed: 0,
            limits: Limits::default(),
        }
    }
}

impl Changes {
    /// Reads changes.
    ///
    /// # Errors
    /// An unknown key or a wrong type, with its path.
    pub fn from_value(value: &Value) -> Result<Self, Problem> {
        if value.is_null() { Ok(Self::default()) } else { decode(value, "changes") }
    }
}

/// A scenario in which a Deployment of which only the manifest is given has come to rest long ago, with its ReplicaSet
/// and its pods, and then is changed. The controllers themselves bring it to rest, an hour before the start. A Job or CronJob
/// is created at the start instead, and then is changed.
///
/// # Errors
/// The first problem of the manifest, below `deployment`, `job` or `cronJob`, or of the changes, below `changes`.
pub fn steady_state(manifest: &Value, changes: &Changes) -> Result<Scenario, Problem> {
    let subject = Subject::of(manifest)?;
    let is_created = |(_, manifest): &(usize, &Value)| start_of(string(manifest, "kind")) == Some(Start::Created);
    let (created, beside): (Vec<_>, Vec<_>) = changes.objects.iter().enumerate().partition(is_created);
    let given = Surroundings { objects: beside, nodes: &changes.nodes };
    let mut scenario = Scenario {
        seed: changes.seed,
        feature_gates: gates(&subject, changes),
        nodes: given.read_nodes()?,
        kubelet: changes.kubelet.clone(),
        mode: changes.mode,
        controller_manager: changes.controller_manager,
        limits: changes.limits.clone(),
        objects: given.objects.iter().map(|(_, manifest)| (*manifest).clone()).collect(),
        ..Scenario::default()
    };
    let mut requests = Vec::new();
    let mut simulation = match subject.start {
        Start::Created => {
            requests.push(Request::create(Origin::Subject, manifest));
            let to_argument = |path: &str| given.path_of(path);
            settle(&scenario, Vec::new()).map_err(|problem| problem.map_paths(&to_argument))?
        }
        Start::AtRest => come_to_rest(&scenario, &subject, &given)?,
    };
    requests.extend(created.into_iter().map(|(index, manifest)| Request::create(Origin::Object(index), manifest)));
    requests.extend(requests_of(&subject, changes)?);
    let auxiliary =
        given.objects.iter().map(|(_, manifest)| *manifest).filter(|manifest| is_auxiliary(manifest)).cloned();
    let (objects, mut pods) = (simulation.objects(), ShortPods::default());
    scenario.objects = auxiliary.chain(objects.iter().map(|object| pods.write(object))).collect();
    scenario.actions = requests.iter().map(|request| request.action.clone()).collect();
    simulation.try_actions(&scenario.actions).map_err(|problem| {
        problem.map_paths(&|path| {
            let parts = path.strip_prefix("actions[").and_then(|rest| rest.split_once(']'));
            let request = parts.and_then(|(index, below)| Some((requests.get(index.parse::<usize>().ok()?)?, below)));
            request.map_or_else(|| String::from(path), |(request, below)| request.path_of(&subject, below))
        })
    })?;
    Ok(scenario)
}

/// What the scenario is about.
struct Subject<'a> {
    workload: &'static dyn Workload,
    start: Start,
    manifest: &'a Value,
}

impl<'a> Subject<'a> {
    fn of(manifest: &'a Value) -> Result<Self, Problem> {
        let kind = string(manifest, "kind");
        let subject =
            workload_of(kind).and_then(|workload| Some(Self { workload, start: workload.start()?, manifest }));
        subject.ok_or_else(|| {
            let with_start = kinds::ALL.iter().filter(|workload| workload.start().is_some());
            let supported = quoted_names(with_start.map(|workload| workload.kind()));
            Problem::new(
                "deployment.kind",
                format!("Unsupported value: {}: supported values: {supported}", quoted(kind)),
            )
        })
    }

    fn kind(&self) -> Kind {
        self.workload.kind()
    }

    /// The name of the argument that it is, like `cronJob`.
    fn argument(&self) -> String {
        let mut name = String::from(self.kind().name());
        if let Some(first) = name.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        name
    }
}

/// How a scenario begins that is about an object of the kind of this name.
fn start_of(kind: &str) -> Option<Start> {
    workload_of(kind)?.start()
}

/// A manifest as a user writes it.
fn as_new(manifest: &Value) -> Value {
    workload_of(string(manifest, "kind")).map_or_else(|| without_status(manifest), |workload| workload.as_new(manifest))
}

/// What of the changes surrounds it.
struct Surroundings<'a> {
    /// The objects that are there at the start, each with its position among all.
    objects: Vec<(usize, &'a Value)>,
    nodes: &'a [Value],
}

impl Surroundings<'_> {
    fn read_nodes(&self) -> Result<Vec<Node>, Problem> {
        let nodes = self.nodes.iter().enumerate();
        nodes.map(|(index, node)| read_node(node, &format!("changes.nodes[{index}]"), None)).collect()
    }

    /// The path of a field of the changes, from one of the scenario's.
    fn path_of(&self, path: &str) -> String {
        let item = |list: &str| {
            let (index, below) = path.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?;
            Some((index.parse::<usize>().ok()?, below))
        };
        if let Some((index, below)) = item("objects")
            && let Some((given, _)) = self.objects.get(index)
        {
            return format!("changes.objects[{given}]{below}");
        }
        if let Some((index, field)) = item("nodes")
            && let Some(node) = self.nodes.get(index)
        {
            return format!("changes.nodes[{index}]{}", NodeForm::of(node).path_of(field));
        }
        format!("changes.{path}")
    }
}

/// Whether an object is not in the store, so that coming to rest does not change it.
pub(crate) fn is_auxiliary(manifest: &Value) -> bool {
    aux_kind(string(manifest, "kind")).is_some()
}

/// Lets an object come to rest before the scenario's start.
fn come_to_rest(scenario: &Scenario, subject: &Subject<'_>, given: &Surroundings<'_>) -> Result<Simulation, Problem> {
    let (argument, manifest) = (subject.argument(), as_new(subject.manifest));
    let at_replicas = |message: String| Problem::new(format!("{argument}.spec.replicas"), message);
    // Without simulating the pods first.
    let wanted =
        manifest.pointer("/spec/replicas").and_then(Value::as_i64).and_then(|wanted| u32::try_from(wanted).ok());
    if wanted.is_some_and(|wanted| wanted > scenario.limits.pods && i32::try_from(wanted).is_ok()) {
        return Err(at_replicas(too_many_pods(scenario.limits.pods)));
    }
    let to_argument = |path: &str| match path.strip_prefix("actions[0].create") {
        Some(below) => format!("{argument}{below}"),
        None => given.path_of(path),
    };
    let of_argument = |problem: Problem| problem.map_paths(&to_argument);
    let create = TimedAction { at: Duration(0), action: Action::Create(Rc::new(manifest)) };
    let simulation = settle(scenario, Vec::from([create])).map_err(of_argument)?;
    match too_large(&simulation) {
        Some(message) => Err(at_replicas(message)),
        None => Ok(simulation),
    }
}

/// A scenario's objects at its start if nothing was changed before, with all pods ready. The Jobs have just
/// begun: their pods run, and have run for no time.
///
/// # Errors
/// The first problem of the scenario or, at `jobs`, of a Job, with its path, or a limit that is met, at `objects`.
pub(crate) fn at_rest(scenario: &Scenario, jobs: &[Value]) -> Result<Vec<Object>, Problem> {
    let rest = Duration::seconds(AT_REST_AFTER.saturating_add(earlier(scenario, jobs.iter())));
    let at = Duration(rest.0.saturating_sub(JOBS_RUN.0));
    let create = |job| TimedAction { at, action: Action::Create(Rc::new(as_new(job))) };
    let simulation = settle(scenario, jobs.iter().map(create).collect()).map_err(|problem| {
        problem.map_paths(&|path| match path.strip_prefix("actions") {
            Some(below) => format!("jobs{}", below.replacen(".create", "", 1)),
            None => String::from(path),
        })
    })?;
    match too_large(&simulation) {
        Some(message) => Err(Problem::new("objects", message)),
        None => {
            let gates = Gates::parse(&scenario.feature_gates, "featureGates").map_err(Problem::all)?.apiserver;
            let mut last = None;
            let admitted = |object| admitted(begun_at(object, scenario.start), &mut last, &gates);
            simulation.objects().into_iter().map(admitted).collect()
        }
    }
}

/// The object as the API server stores it where it is given. The pods that the simulation creates have no more defaults than their
/// template. `last` are the fields of the last pod, without them and with them.
fn admitted(
    mut object: Object,
    last: &mut Option<(Rc<PodSpecFields>, Rc<PodSpecFields>)>,
    gates: &FeatureGates,
) -> Result<Object, Problem> {
    let Object::Pod(pod) = &object else { return Ok(object) };
    let given = pod.spec.fields.clone();
    let fields = match last {
        Some((other, fields)) if Rc::ptr_eq(other, &given) => fields.clone(),
        _ => match admit_create(&object.to_value(), "", gates)? {
            Object::Pod(pod) => Rc::new(PodSpecFields::clone(&pod.spec.fields).shared_with(&given)),
            _ => return Ok(object),
        },
    };
    *last = Some((given, fields.clone()));
    if let Object::Pod(pod) = &mut object {
        Rc::make_mut(pod).spec.fields = fields;
    }
    Ok(object)
}

/// The object, where what is created at the start has begun then.
fn begun_at(object: Object, start: Time) -> Object {
    kinds::ALL.iter().fold(object, |object, workload| workload.begun_at(object, start))
}

/// The object without its quota, which refuses only new pods: existing ones stay.
fn without_quota(manifest: &Manifest) -> Manifest {
    if manifest.kind() != Kind::ResourceQuota.name() {
        return manifest.clone();
    }
    let mut object = manifest.to_value().into_owned();
    if let Some(spec) = existing_map(&mut object, &["spec"]) {
        spec.remove("hard");
    }
    Manifest::Whole(Rc::new(object))
}

/// How much earlier than usual a scenario's objects are created, and those that are created before it starts.
fn earlier<'a>(scenario: &'a Scenario, created: impl Iterator<Item = &'a Value>) -> i64 {
    let min_ready = |manifest: &Value| manifest.pointer("/spec/minReadySeconds").and_then(Value::as_i64);
    let longest = scenario.objects.iter().filter_map(Manifest::given).chain(created).filter_map(min_ready).max();
    earlier_for(longest.and_then(|seconds| i32::try_from(seconds).ok()).unwrap_or_default())
}

/// Simulates at least an hour before the scenario's start, in which the actions happen and all pods become available.
fn settle(scenario: &Scenario, actions: Vec<TimedAction>) -> Result<Simulation, Problem> {
    let created = actions.iter().filter_map(|timed| match &timed.action {
        Action::Create(manifest) => Some(&**manifest),
        _ => None,
    });
    let earlier = earlier(scenario, created);
    let before = Scenario {
        start: scenario.start.plus_seconds(CREATED_BEFORE.saturating_add(earlier).saturating_neg()),
        // What is wrong with the nodes begins later: until then, each of them may get pods.
        nodes: scenario.nodes.iter().map(Node::healthy).collect(),
        // Whatever is to happen, at rest all pods are ready, however long that took.
        kubelet: Vec::from([Timing {
            ready: Some(Delay::After(Timing::START_UP)),
            run: Some(Delay::Never),
            ..Timing::default()
        }]),
        controller_manager: None,
        mode: None,
        actions,
        // The caller's limits are for what follows: these steps are thrown away.
        limits: Limits {
            time: Duration::seconds(AT_REST_AFTER.saturating_add(earlier)),
            steps: u32::MAX,
            pods: scenario.limits.pods,
            bytes: Limits::default().bytes.saturating_mul(2),
        },
        ..scenario.clone()
    };
    let is_quota = |manifest: &Manifest| manifest.kind() == Kind::ResourceQuota.name();
    let mut simulation = if before.objects.iter().any(is_quota) {
        // The quotas themselves must be valid.
        Simulation::start_without_steps(before.clone())?;
        let objects = before.objects.iter().map(without_quota).collect();
        Simulation::start_without_steps(Scenario { objects, ..before })?
    } else {
        Simulation::start_without_steps(before)?
    };
    // At rest, the scheduling gates have been removed.
    simulation.ignore_scheduling_gates();
    simulation.hurry();
    simulation.run_until(Time(i64::MAX))?;
    Ok(simulation)
}

/// The limit of size that a simulation met.
fn too_large(simulation: &Simulation) -> Option<String> {
    let end = simulation.end();
    matches!(end.reason, EndReason::Pods | EndReason::Steps | EndReason::Bytes).then_some(end.message)
}

fn gates(subject: &Subject<'_>, changes: &Changes) -> Value {
    if !changes.feature_gates.is_null() || subject.kind() != Kind::Deployment {
        return changes.feature_gates.clone();
    }
    let has_policy =
        |value: &Value| value.pointer("/spec/podReplacementPolicy").is_some_and(|policy| !policy.is_null());
    let new = changes.to.iter().flat_map(manifests_of).map(|(_, manifest)| manifest);
    if has_policy(subject.manifest) || changes.patch.iter().chain(new).any(has_policy) {
        json!({ "DeploymentPodReplacementPolicy": true })
    } else {
        Value::Null
    }
}

/// What the user asks of the API server, and which of the arguments it comes from.
struct Request {
    origin: Origin,
    action: TimedAction,
}

/// What of the arguments a request comes from.
#[derive(Clone, Copy)]
enum Origin {
    /// What the scenario is about.
    Subject,
    Object(usize),
    Patch,
    /// With the position in a list.
    To(Option<usize>),
    Image,
    Replicas,
}

impl Request {
    /// An object is created at the start.
    fn create(origin: Origin, manifest: &Value) -> Self {
        Self { origin, action: TimedAction { at: Duration(0), action: Action::Create(Rc::new(as_new(manifest))) } }
    }

    /// The path of a field of the argument, from one of the action's.
    fn path_of(&self, subject: &Subject<'_>, below: &str) -> String {
        let below_action = |key: &str| below.strip_prefix(key).unwrap_or(below);
        match self.origin {
            Origin::Subject => format!("{}{}", subject.argument(), below_action(".create")),
            Origin::Object(index) => format!("changes.objects[{index}]{}", below_action(".create")),
            Origin::Patch => format!("changes.patch{}", below_action(".apply")),
            Origin::To(index) => format!("{}{}", path_of_new(index), below_action(".apply")),
            Origin::Image => String::from("changes.image"),
            Origin::Replicas => String::from("changes.replicas"),
        }
    }
}

fn requests_of(subject: &Subject<'_>, changes: &Changes) -> Result<Vec<Request>, Problem> {
    let (kind, manifest) = (subject.kind(), subject.manifest);
    let text = |pointer: &str, default: &str| {
        String::from(manifest.pointer(pointer).and_then(Value::as_str).unwrap_or(default))
    };
    let name = text("/metadata/name", "");
    let namespace = text("/metadata/namespace", "default");
    let target = json!({
        "apiVersion": kind.api_version(),
        "kind": kind.name(),
        "metadata": { "name": name, "namespace": namespace },
    });
    let mut requests = Vec::new();
    let at = changes.at.unwrap_or(match subject.start {
        Start::AtRest => Duration(0),
        Start::Created => AFTER_CREATION,
    });
    let mut request = |origin, action| {
        requests.push(Request { origin, action: TimedAction { at, action } });
    };
    if let Some(to) = &changes.to {
        let (index, to) = new_manifest(to, &target)?;
        expect_same_object(to, &target, &path_of_new(index))?;
        for (index, to) in changes.to.iter().flat_map(manifests_of).filter(|(other, _)| *other != index) {
            if let Some(patch) = apply_beside(to, &changes.objects, &path_of_new(index))? {
                request(Origin::To(index), Action::Apply(Rc::new(patch)));
            }
        }
        let mut patch = apply_diff(&without_status(manifest), &without_status(to));
        merge(&mut patch, &target);
        request(Origin::To(index), Action::Apply(Rc::new(patch)));
    }
    if let Some(patch) = &changes.patch {
        expect_same_object(patch, &target, "changes.patch")?;
        // Its nulls stay: they remove fields of the object.
        let mut object = patch.clone();
        merge(&mut object, &target);
        request(Origin::Patch, Action::Apply(Rc::new(object)));
    }
    if let Some(image) = &changes.image {
        let template = json!({ "spec": { "containers": [{ "image": image }] } });
        let set = SetTemplate { kind: kind.name().into(), name: name.clone(), namespace: namespace.clone(), template };
        request(Origin::Image, Action::SetTemplate(set));
    }
    if let Some(replicas) = changes.replicas {
        if let Some(instead) = subject.workload.instead_of_replicas() {
            let message = format!("Forbidden: a {kind} has no replicas; use `patch` with {instead}");
            return Err(Problem::new("changes.replicas", message));
        }
        let scale = Scale { kind: String::from(kind.name()), name, namespace, replicas };
        request(Origin::Replicas, Action::Scale(scale));
    }
    Ok(requests)
}

/// One or several manifests, with their positions in a list.
fn manifests_of(to: &Value) -> impl Iterator<Item = (Option<usize>, &Value)> {
    let (one, several) = match to {
        Value::Array(manifests) => (None, manifests.as_slice()),
        one => (Some((None, one)), [].as_slice()),
    };
    one.into_iter().chain(several.iter().enumerate().map(|(index, manifest)| (Some(index), manifest)))
}

/// The path of a new manifest.
fn path_of_new(index: Option<usize>) -> String {
    index.map_or_else(|| String::from("changes.to"), |index| format!("changes.to[{index}]"))
}

/// The new manifest of what the scenario is about: the only manifest, or the only one of this kind.
fn new_manifest<'a>(to: &'a Value, target: &Value) -> Result<(Option<usize>, &'a Value), Problem> {
    let kind = string(target, "kind");
    let manifests: Vec<_> = manifests_of(to).collect();
    if let [only] = manifests.as_slice() {
        return Ok(*only);
    }
    let of_kind: Vec<_> = manifests.into_iter().filter(|(_, manifest)| string(manifest, "kind") == kind).collect();
    match of_kind.as_slice() {
        [only] => Ok(*only),
        [] => Err(Problem::new("changes.to", format!("Required value: must contain the {kind}"))),
        more => Err(Problem::new("changes.to", format!("Too many: {} {kind}s: must be exactly one", more.len()))),
    }
}

/// What `kubectl apply` sends of an object beside the Deployment or Job; none if it changes nothing, or is not simulated.
fn apply_beside(new: &Value, before: &[Value], path: &str) -> Result<Option<Value>, Problem> {
    require_kind(new, path)?;
    if !is_simulated(new) {
        return Ok(None);
    }
    let text = |manifest: &Value, pointer: &str, default: &str| {
        String::from(manifest.pointer(pointer).and_then(Value::as_str).unwrap_or(default))
    };
    let key = |manifest: &Value| {
        (
            text(manifest, "/kind", ""),
            text(manifest, "/metadata/name", ""),
            text(manifest, "/metadata/namespace", "default"),
        )
    };
    let Some(before) = before.iter().find(|before| key(before) == key(new)) else {
        return Ok(Some(as_new(new)));
    };
    let mut patch = apply_diff(&without_status(before), &without_status(new));
    if patch.as_object().is_some_and(serde_json::Map::is_empty) {
        return Ok(None);
    }
    let (kind, name, namespace) = key(new);
    let target = json!({
        "apiVersion": string(new, "apiVersion"),
        "kind": kind,
        "metadata": { "name": name, "namespace": namespace },
    });
    merge(&mut patch, &target);
    Ok(Some(patch))
}

/// Refuses a manifest or patch of another object.
fn expect_same_object(manifest: &Value, target: &Value, path: &str) -> Result<(), Problem> {
    if !manifest.is_object() {
        return Err(Problem::new(path, format!("Invalid value: {}: must be a map", shortened(manifest))));
    }
    for field in ["/apiVersion", "/kind", "/metadata/name", "/metadata/namespace"] {
        let (given, expected) = (manifest.pointer(field), target.pointer(field).unwrap_or(&Value::Null));
        if let Some(given) = given.filter(|given| !given.is_null() && *given != expected) {
            let message = format!(
                "Invalid value: {}: must be {expected}, as in the {}",
                shortened(given),
                string(target, "kind")
            );
            return Err(Problem::new(format!("{path}{}", field.replace('/', ".")), message));
        }
    }
    Ok(())
}
