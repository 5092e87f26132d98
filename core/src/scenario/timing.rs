use alloc::format;
use alloc::string::String;

use serde_json::Value;

use super::{Duration, NumberRanges};
use crate::Problem;
use crate::json::{FromJson, Path, ToJson, must_be};

/// How long the stages of a pod's life take. Each time is stretched by the jitter.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Timing {
    /// Only pods in this namespace.
    #[json(omitempty)]
    pub namespace: Option<String>,
    /// Only pods of this Deployment.
    #[json(omitempty)]
    pub deployment: Option<String>,
    /// Only pods of this StatefulSet.
    #[json(omitempty)]
    pub stateful_set: Option<String>,
    /// Only pods of this DaemonSet.
    #[json(omitempty)]
    pub daemon_set: Option<String>,
    /// Only pods of this Job.
    #[json(omitempty)]
    pub job: Option<String>,
    /// Only pods of these completion indexes, like `0,2-4`.
    #[json(omitempty)]
    pub indexes: Option<NumberRanges>,
    /// Only these pods of each completion index, like `1-2`: the first pod has the number 1. In a Job without indexes, only
    /// these pods of the Job.
    #[json(omitempty)]
    pub attempts: Option<NumberRanges>,
    /// Only pods of this revision (the annotation `deployment.kubernetes.io/revision` of their ReplicaSet, or the number of their
    /// ControllerRevision).
    #[json(omitempty)]
    pub revision: Option<i64>,
    /// Only pods whose first container has this image.
    #[json(omitempty)]
    pub image: Option<String>,
    /// The message with which the API server refuses to create the pods, as a webhook would; none by default. Such an entry does not
    /// apply to pods that exist already.
    #[json(omitempty)]
    pub refused: Option<String>,
    /// How long after its creation a pod gets a node; `0s` by default.
    pub schedule: Duration,
    /// How long it takes to pull the image, before `start`; `never` if it can't be pulled.
    pub pull: Delay,
    /// How long after a pod got its node (and its image was pulled) its containers run; `1s` by default.
    pub start: Duration,
    /// How long a pod whose containers run takes to become ready, or `never`. By default, its probes decide; a pod without
    /// startup and readiness probes takes 4 seconds. Given with `answers`, it applies only to pods without these probes.
    #[json(omitempty)]
    pub ready: Option<Delay>,
    /// How long after their start the containers answer their probes, or `never`; 4 seconds by default. Given without `ready`
    /// for a pod without startup and readiness probes, the pod is ready as soon as its containers run.
    #[json(omitempty)]
    pub answers: Option<Delay>,
    /// How long the containers run until they end with exit code 0, or `never`; 10 seconds by default for a Job's pod. Without
    /// effect on pods that always restart, such as those of a Deployment.
    #[json(omitempty)]
    pub run: Option<Delay>,
    /// How long the first container runs until it fails, each time that it is started; by default, it does not fail.
    #[json(omitempty)]
    pub crash: Option<Duration>,
    /// How many times the first container fails as `crash` says; by default, forever.
    #[json(omitempty)]
    pub crashes: Option<u32>,
    /// The exit code of a container that fails as `crash` says; 1 by default.
    #[json(omitempty)]
    pub exit_code: Option<i32>,
    /// How much of the grace period the preStop hook takes; by default, as much as a hook that only sleeps does.
    #[json(omitempty)]
    pub pre_stop: Option<Duration>,
    /// How long a running pod takes to end after the request to delete it (with a preStop hook, after the hook's end); at most,
    /// and by default, its terminationGracePeriodSeconds.
    #[json(omitempty)]
    pub terminate: Option<Duration>,
    /// Up to how much longer each stage takes, in percent; drawn from the seed.
    pub jitter_percent: u32,
}

impl Timing {
    /// How long containers take to answer, where the scenario doesn't say.
    pub(crate) const START_UP: Duration = Duration::seconds(4);

    /// How long the containers of a Job's pod run, where the scenario doesn't say.
    pub(crate) const RUN: Duration = Duration::seconds(10);

    /// The timing of a pod that no entry matches.
    pub(crate) const DEFAULT: Self = Self {
        refused: None,
        namespace: None,
        deployment: None,
        stateful_set: None,
        daemon_set: None,
        job: None,
        indexes: None,
        attempts: None,
        revision: None,
        image: None,
        schedule: Duration(0),
        pull: Delay::After(Duration(0)),
        start: Duration::seconds(1),
        ready: None,
        answers: None,
        run: None,
        crash: None,
        crashes: None,
        exit_code: None,
        pre_stop: None,
        terminate: None,
        jitter_percent: 0,
    };
}

impl Timing {
    /// Whether no pod is excluded.
    pub(crate) fn is_of_all_pods(&self) -> bool {
        let Self { namespace, deployment, stateful_set, daemon_set, job, indexes, attempts, revision, image, .. } =
            self;
        namespace.is_none()
            && deployment.is_none()
            && stateful_set.is_none()
            && daemon_set.is_none()
            && job.is_none()
            && indexes.is_none()
            && attempts.is_none()
            && revision.is_none()
            && image.is_none()
    }

    /// Whether a pod becomes ready at a given time, whatever its probes find.
    pub(crate) const fn ignores_probes(&self, has_probes: bool) -> bool {
        match (self.ready.is_some(), self.answers.is_some()) {
            (true, false) => true,
            (false, true) => false,
            (true, true) | (false, false) => !has_probes,
        }
    }

    /// What has no effect is a mistake.
    ///
    /// # Errors
    /// An exit code or a number of crashes without a crash.
    pub(crate) fn validate(&self, path: &str) -> Result<(), Problem> {
        let without_crash = [("exitCode", self.exit_code.is_some()), ("crashes", self.crashes.is_some())]
            .into_iter()
            .find(|(_, is_given)| *is_given && self.crash.is_none());
        without_crash.map_or(Ok(()), |(key, _)| {
            let message = "Forbidden: may only be given with `crash`, the time after which the first container fails; after \
                           `run` containers end with exit code 0";
            Err(Problem::new(format!("{path}.{key}"), message))
        })
    }
}

impl Default for Timing {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How long something takes, if it ever ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// It takes that long.
    After(Duration),
    /// It never ends.
    Never,
}

impl ToJson for Delay {
    fn to_json(&self) -> Value {
        match self {
            Self::After(duration) => duration.to_json(),
            Self::Never => "never".into(),
        }
    }
}

impl FromJson for Delay {
    fn empty() -> Self {
        Self::Never
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        *self = match Duration::of(value) {
            Some(duration) => Self::After(duration),
            None if value == "never" => Self::Never,
            None => return Err(must_be(value, path, "a duration like 90s, or never")),
        };
        Ok(())
    }
}

// For the default in the JSON Schema.
#[cfg(feature = "schema")]
impl serde::Serialize for Delay {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::json::serialize(self, serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Delay {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Delay".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": ["string", "number"],
            "minimum": 0,
            "description": "A duration like 5s, a number of milliseconds, or never.",
            "examples": ["5s", "never"],
        })
    }
}
