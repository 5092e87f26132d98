//! The tools, as agents see them.

/// A command that agents can call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Predict,
    Advise,
    Explain,
    Validate,
    Rank,
    Review,
}

/// A parameter of a tool, and how the command takes it.
#[derive(Debug)]
pub struct Parameter {
    /// Its name; also that of its flag, unless `place` says otherwise.
    pub name: &'static str,
    pub place: Place,
    pub kind: ParameterKind,
    pub description: &'static str,
}

/// Where the command takes a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// As an argument, in the order of the parameters.
    Argument,
    /// After the flag of the same name.
    Flag,
    /// After another flag.
    FlagNamed(&'static str),
}

/// The values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Kubernetes objects: a path, or text.
    Objects,
    /// Text.
    Text,
    /// Texts.
    Texts,
    /// How long something takes: text like 20s, or a number of milliseconds.
    Duration,
    /// An integer.
    Integer,
    /// True or false.
    Boolean,
}

/// The parameter with which a tool reads the running cluster.
pub const CLUSTER: &str = "cluster";

const READ_CLUSTER: Parameter = Parameter {
    name: CLUSTER,
    place: Place::Flag,
    kind: ParameterKind::Boolean,
    description: "Reads the running cluster with the user's kubectl.",
};

const ALL_NAMESPACES: Parameter = Parameter {
    name: "allNamespaces",
    place: Place::Flag,
    kind: ParameterKind::Boolean,
    description: "With cluster: reads all namespaces.",
};

const NAMESPACE: Parameter = Parameter {
    name: "namespace",
    place: Place::Flag,
    kind: ParameterKind::Text,
    description: "The namespace of objects that don't name one, and the one that cluster reads.",
};

const NOW: Parameter = Parameter {
    name: "now",
    place: Place::Flag,
    kind: ParameterKind::Text,
    description: "When the objects of a running cluster were read, like 2026-01-01T12:00:00Z. By default the clock, or the newest \
        time in a file that was saved more than 10 minutes ago.",
};

const READY_AFTER: Parameter = Parameter {
    name: "readyAfter",
    place: Place::Flag,
    kind: ParameterKind::Duration,
    description: "How long after its creation a pod is ready, like 20s, or never. By default its probes decide.",
};

const STOP_AFTER: Parameter = Parameter {
    name: "stopAfter",
    place: Place::Flag,
    kind: ParameterKind::Duration,
    description: "How long a pod takes to stop, like 5s. By default its whole grace period.",
};

const QUOTAS: Parameter = Parameter {
    name: "quotas",
    place: Place::FlagNamed("--quota"),
    kind: ParameterKind::Objects,
    description: "ResourceQuotas that the rollout must fit: a path, or YAML or JSON text.",
};

const NODES: Parameter = Parameter {
    name: "nodes",
    place: Place::Flag,
    kind: ParameterKind::Objects,
    description: "The nodes: a path or text with Node objects, or in short, like '3x 4cpu,16Gi zone=a,b,c'. Without nodes, every \
        pod can be scheduled.",
};

const STATE: Parameter = Parameter {
    name: "objects",
    place: Place::FlagNamed("--filename"),
    kind: ParameterKind::Objects,
    description: "The state of the cluster, as `kubectl get deployments,replicasets,pods,jobs,resourcequotas,limitranges -o json` \
        prints it: a path, or JSON text.",
};

const EXISTING: Parameter = Parameter {
    name: "old",
    place: Place::Flag,
    kind: ParameterKind::Objects,
    description: "The existing objects, if this is an update: a path, or YAML or JSON text.",
};

const fn argument(name: &'static str, kind: ParameterKind, description: &'static str) -> Parameter {
    Parameter { name, place: Place::Argument, kind, description }
}

const fn flag(name: &'static str, kind: ParameterKind, description: &'static str) -> Parameter {
    Parameter { name, place: Place::Flag, kind, description }
}

/// The last parameters of the tools that read the state of a cluster.
const OF_STATE: [Parameter; 4] = [NOW, NAMESPACE, READ_CLUSTER, ALL_NAMESPACES];

const PREDICT: [Parameter; 8] = [
    argument(
        "old",
        ParameterKind::Objects,
        "The objects before the change: a path, or YAML or JSON text. They may be manifests, or the state of a running cluster. A \
         state alone shows what happens next.",
    ),
    argument(
        "new",
        ParameterKind::Objects,
        "The manifests after the change: a path, or YAML or JSON text. Without old, all objects are new.",
    ),
    QUOTAS,
    NODES,
    READY_AFTER,
    STOP_AFTER,
    flag("runFor", ParameterKind::Duration, "How long the pods of a Job run, like 5m, or never. By default 10s."),
    flag("prune", ParameterKind::Boolean, "Deletes workloads that only old has, as Helm does."),
];

const ADVISE: [Parameter; 13] = [
    argument(
        "objects",
        ParameterKind::Objects,
        "The workload and the objects around it: a path, or YAML or JSON text.",
    ),
    flag(
        "deployment",
        ParameterKind::Text,
        "The Deployment, as name or namespace/name; not needed if there is only one.",
    ),
    flag(
        "statefulset",
        ParameterKind::Text,
        "The StatefulSet, in place of a Deployment; not needed if there is only one, and no Deployment.",
    ),
    flag(
        "daemonset",
        ParameterKind::Text,
        "The DaemonSet, in place of a Deployment; not needed if there is only one, and no Deployment and no StatefulSet. Needs nodes.",
    ),
    flag("maxPods", ParameterKind::Integer, "The most pods at once, terminating ones included."),
    flag(
        "minAvailable",
        ParameterKind::Integer,
        "The fewest pods that are available at any time. By default 1, if the current settings keep one available.",
    ),
    flag("within", ParameterKind::Duration, "The rollout is complete within this time, like 5m."),
    QUOTAS,
    flag("fitQuotas", ParameterKind::Boolean, "The rollout fits the ResourceQuotas among the objects."),
    NODES,
    READY_AFTER,
    STOP_AFTER,
    flag(
        "proposed",
        ParameterKind::Boolean,
        "Also lists settings with the proposed podReplacementPolicy, which no release has.",
    ),
];

const EXPLAIN: [Parameter; 4] = [
    STATE,
    flag("deployment", ParameterKind::Text, "The Deployment, as name or namespace/name. By default all."),
    READY_AFTER,
    STOP_AFTER,
];

const VALIDATE: [Parameter; 3] = [
    argument("objects", ParameterKind::Objects, "The manifests: a path, or YAML or JSON text."),
    EXISTING,
    Parameter {
        name: "featureGates",
        place: Place::FlagNamed("--feature-gate"),
        kind: ParameterKind::Texts,
        description: "Feature gates that differ from the defaults, like PodDeletionCost=false.",
    },
];

const RANK: [Parameter; 3] = [
    argument("workload", ParameterKind::Text, "The ReplicaSet or the Job, like rs/web-7c9d5f6b8 or job/shop/train."),
    STATE,
    flag("count", ParameterKind::Integer, "How many pods are deleted. By default those beyond spec.replicas."),
];

const REVIEW: [Parameter; 4] = [
    argument("objects", ParameterKind::Objects, "The manifests, or AdmissionReviews: a path, or YAML or JSON text."),
    flag("settings", ParameterKind::Objects, "The policy's settings: a path, or YAML or JSON text. By default none."),
    EXISTING,
    flag("user", ParameterKind::Text, "The user who makes the requests. By default kubernetes-admin."),
];

impl Tool {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Predict, Self::Advise, Self::Explain, Self::Validate, Self::Rank, Self::Review];

    /// Its name, which is that of the command.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Predict => "predict",
            Self::Advise => "advise",
            Self::Explain => "explain",
            Self::Validate => "validate",
            Self::Rank => "rank",
            Self::Review => "review",
        }
    }

    /// Its title for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Predict => "Predict a rollout",
            Self::Advise => "Choose rollout settings",
            Self::Explain => "Explain a rollout",
            Self::Validate => "Validate manifests",
            Self::Rank => "Rank pods for deletion",
            Self::Review => "Review with the policy",
        }
    }

    /// What it does, for the agent.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Predict => {
                "Predicts what a change of Kubernetes workloads needs before it is applied: the most pods and resources at \
                 once, terminating pods included, the fewest available pods, how long it takes, and whether it fits \
                 ResourceQuotas and nodes. The first line is the verdict."
            }
            Self::Advise => {
                "Lists settings of a Deployment, a StatefulSet or a DaemonSet (maxSurge, maxUnavailable, minReadySeconds, \
                 Recreate, partition, podManagementPolicy) that meet your constraints, what each one costs, and the YAML to \
                 commit. Needs at least one of maxPods, minAvailable, within, quotas and fitQuotas."
            }
            Self::Explain => {
                "Shows the state of each Deployment's rollout in a running cluster: what comes next and why, what is stuck, \
                 and which changes would unblock it. Each such change was simulated."
            }
            Self::Validate => {
                "Validates manifests as the Kubernetes 1.37 API server would, with its own messages, and their lines and \
                 columns. Says what was not checked."
            }
            Self::Rank => {
                "Lists which pods are deleted first when a ReplicaSet, a ReplicationController, a StatefulSet or a Job \
                 shrinks, and why."
            }
            Self::Review => {
                "Reviews objects or recorded AdmissionReviews as Changeover's Kubewarden policy would, with your settings."
            }
        }
    }

    /// Its parameters.
    pub fn parameters(self, has_cluster: bool) -> impl Iterator<Item = &'static Parameter> {
        let (own, last): (&'static [Parameter], &'static [Parameter]) = match self {
            Self::Predict => (&PREDICT, &OF_STATE),
            Self::Advise => (&ADVISE, &OF_STATE),
            Self::Explain => (&EXPLAIN, &OF_STATE),
            Self::Validate => (&VALIDATE, &[]),
            Self::Rank => (&RANK, &OF_STATE),
            Self::Review => (&REVIEW, &[]),
        };
        let is_of_cluster = |parameter: &Parameter| [CLUSTER, ALL_NAMESPACES.name].contains(&parameter.name);
        own.iter().chain(last).filter(move |parameter| has_cluster || !is_of_cluster(parameter))
    }

    /// Groups of parameters: a call needs at least one of each group.
    pub const fn needs(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Predict => &[&["old", "new", CLUSTER]],
            Self::Advise => &[&["objects", CLUSTER], &["maxPods", "minAvailable", "within", "quotas", "fitQuotas"]],
            Self::Explain => &[&["objects", CLUSTER]],
            Self::Validate | Self::Review => &[&["objects"]],
            Self::Rank => &[&["workload"], &["objects", CLUSTER]],
        }
    }

    /// The schema of its report, as the npm package ships it.
    pub const fn report_schema(self) -> &'static str {
        match self {
            Self::Predict => include_str!("../../../npm/schema/predict-report.schema.json"),
            Self::Advise => include_str!("../../../npm/schema/advice.schema.json"),
            Self::Explain => include_str!("../../../npm/schema/explain-report.schema.json"),
            Self::Validate => include_str!("../../../npm/schema/validate-report.schema.json"),
            Self::Rank => include_str!("../../../npm/schema/rank-report.schema.json"),
            Self::Review => include_str!("../../../npm/schema/review-report.schema.json"),
        }
    }
}
