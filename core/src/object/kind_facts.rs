//! What is known of a kind of objects before any object is read.

/// A path of fields from an object's root.
pub(crate) type FieldPath = &'static [&'static str];

/// What the kinds differ in.
pub(crate) struct KindFacts {
    pub(crate) api_version: &'static str,
    pub(crate) name: &'static str,
    /// Its name in URLs and errors.
    pub(crate) resource: &'static str,
    /// Its short name in `kubectl api-resources`.
    pub(crate) short_name: Option<&'static str>,
    /// The field with its pod template.
    pub(crate) pod_template: Option<FieldPath>,
    /// Whether a controller adopts objects of this kind that have none.
    pub(crate) is_adopted: bool,
    /// None for a kind whose objects run no pods.
    pub(crate) workload: Option<WorkloadFacts>,
}

/// What the kinds of workloads differ in.
pub(crate) struct WorkloadFacts {
    /// The name of the kind that its controller creates.
    pub(crate) creates: &'static str,
    pub(crate) predicted: Predicted,
    pub(crate) runs: Runs,
    /// The field that suspends it.
    pub(crate) suspend: Option<FieldPath>,
    /// Whether the pods of its template are ranked by their deletion costs if there are too many.
    pub(crate) ranks_pods: bool,
    pub(crate) pod_replacement_policy: Option<PodReplacementPolicyField>,
    /// Whether the API server makes something of the spec from the uid.
    pub(crate) has_uid_in_spec: bool,
    /// Whether its pods end by themselves. Others serve requests until they are replaced.
    pub(crate) pods_end: bool,
}

/// How a prediction shows a workload.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Predicted {
    /// As a rollout: other pods replace those of an older template.
    AsRollout,
    /// As a number of pods: nothing replaces those of an older template.
    AsReplicas,
    /// As a run, which ends.
    AsRun,
    /// As a part of its owner.
    WithOwner,
    Never,
}

/// The field `podReplacementPolicy`, of which there are two.
pub(crate) enum PodReplacementPolicyField {
    /// That of rollouts (KEP-5882).
    OfRollout(FieldPath),
    /// That of Jobs (KEP-3939).
    OfJob(FieldPath),
}

/// How many pods a workload runs at the same time.
pub(crate) enum Runs {
    /// As many as this field says.
    Field(FieldPath),
    OnEachNode,
}

impl KindFacts {
    /// A kind whose objects neither are workloads nor have a controller.
    pub(super) const fn of_other(
        api_version: &'static str,
        name: &'static str,
        resource: &'static str,
        short_name: Option<&'static str>,
    ) -> Self {
        Self { api_version, name, resource, short_name, pod_template: None, is_adopted: false, workload: None }
    }
}
