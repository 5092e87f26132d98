//! Custom resources without a pod template that run pods: an operator or a tool decides which ones.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::estimates::object_name;
use super::given_objects::{is_same, is_stored};
use super::pod_templates::{NUMBERS, is_custom, pod_template};
use super::still_objects::group;
use super::verdict::{Reason, ReasonKind};
use crate::object::unstructured::{field, string};

/// Kinds that stand for other objects, which a tool installs in the cluster.
const BUNDLES: [(&str, &str); 5] = [
    ("argoproj.io", "Application"),
    ("argoproj.io", "ApplicationSet"),
    ("helm.cattle.io", "HelmChart"),
    ("helm.toolkit.fluxcd.io", "HelmRelease"),
    ("kustomize.toolkit.fluxcd.io", "Kustomization"),
];

/// Kinds that run pods whatever they say.
const RUNNERS: [(&str, &str); 22] = [
    ("argoproj.io", "CronWorkflow"),
    ("argoproj.io", "Workflow"),
    ("camel.apache.org", "Integration"),
    ("ceph.rook.io", "CephFilesystem"),
    ("ceph.rook.io", "CephNFS"),
    ("flagger.app", "Canary"),
    ("flink.apache.org", "FlinkDeployment"),
    ("grafana.integreatly.org", "Grafana"),
    ("jaegertracing.io", "Jaeger"),
    ("k8s.keycloak.org", "Keycloak"),
    ("k8s.mariadb.com", "MariaDB"),
    ("kafka.strimzi.io", "KafkaConnect"),
    ("keda.sh", "ScaledJob"),
    ("keycloak.org", "Keycloak"),
    ("kubevirt.io", "VirtualMachine"),
    ("monitoring.coreos.com", "Alertmanager"),
    ("monitoring.coreos.com", "Prometheus"),
    ("opentelemetry.io", "OpenTelemetryCollector"),
    ("opentelemetry.io", "TargetAllocator"),
    ("rabbitmq.com", "RabbitmqCluster"),
    ("tekton.dev", "PipelineRun"),
    ("tekton.dev", "TaskRun"),
];

/// Kinds and groups whose fields only look like those of pods: numbers of measurements, partitions of topics, what other objects run,
/// machines, parts of volumes, and images that a tool watches or fetches.
const OTHERS: [(&str, &str); 7] = [
    ("argoproj.io", "AnalysisRun"),
    ("argoproj.io", "AnalysisTemplate"),
    ("argoproj.io", "ClusterAnalysisTemplate"),
    ("kafka.strimzi.io", "KafkaTopic"),
    ("serving.kserve.io", "ClusterServingRuntime"),
    ("serving.kserve.io", "LLMInferenceServiceConfig"),
    ("serving.kserve.io", "ServingRuntime"),
];
const OTHER_GROUPS: [&str; 6] = [
    "caching.internal.knative.dev",
    "cluster.x-k8s.io",
    "image.toolkit.fluxcd.io",
    "karpenter.sh",
    "longhorn.io",
    "machine.openshift.io",
];

/// The field in which Crossplane has what is created outside of the cluster.
const OUTSIDE: &str = "forProvider";

/// How deep below `spec` such fields are looked for: deeper ones are patterns of policies, or settings of something else.
const DEPTH: usize = 3;

/// Reasons for custom resources whose pods are not in the input: for those that are new or change, and for those whose pods take
/// room of something that does not say how much of it is used.
pub(super) fn hidden_pods(old: &[&Value], new: &[&Value], takes_room: &dyn Fn(&Value) -> bool) -> Vec<Reason> {
    let is_known = |object: &Value| {
        old.iter().any(|other| is_same(other, object) && field(other, "spec") == field(object, "spec"))
            && (is_bundle(object) || !takes_room(object))
    };
    let custom = new.iter().enumerate().filter(|(_, object)| is_custom(object) && !is_stored(object));
    let mut named = BTreeSet::new();
    custom
        .filter(|(_, object)| pod_template(object).is_none() && !is_known(object))
        .filter_map(|(index, object)| {
            let message = why_it_runs_pods(object)?;
            let name = object_name(object);
            named
                .insert(name.clone())
                .then(|| Reason::new(ReasonKind::NotModeledWorkload, message).about(name).at(format!("new[{index}]")))
        })
        .collect()
}

/// Whether the manifest of a custom resource runs pods that are not in the input.
pub(super) fn runs_hidden_pods(object: &Value) -> bool {
    is_custom(object) && !is_stored(object) && pod_template(object).is_none() && why_it_runs_pods(object).is_some()
}

/// Whether it stands for other objects, which may be in other namespaces.
fn is_bundle(object: &Value) -> bool {
    BUNDLES.contains(&(group(object), string(object, "kind")))
}

fn why_it_runs_pods(object: &Value) -> Option<String> {
    let kind = (group(object), string(object, "kind"));
    if is_bundle(object) {
        return Some(String::from("The input lacks the objects that it installs: add them as rendered manifests."));
    }
    if RUNNERS.contains(&kind) {
        return Some(format!("This {} runs pods, and none of them is counted.", kind.1));
    }
    let is_other = OTHERS.contains(&kind) || OTHER_GROUPS.iter().any(|group| kind.0.ends_with(group));
    if is_other {
        return None;
    }
    let spec = field(object, "spec")?;
    let image = field(spec, "image").filter(|image| image.is_string()).map(|_| String::from("spec.image"));
    let path = image.or_else(|| field_of_pods(spec, "spec", DEPTH))?;
    Some(format!("It seems to run pods ({path}), and none of them is counted."))
}

/// The first field that only something with pods has.
fn field_of_pods(value: &Value, path: &str, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match value {
        Value::Object(map) => map.iter().find_map(|(key, value)| {
            let path = format!("{path}.{key}");
            let is_its = match key.as_str() {
                "workloadRef" => value.is_object(),
                "containers" => {
                    value.as_array().is_some_and(|list| list.iter().any(|item| field(item, "image").is_some()))
                }
                "resources" => ["requests", "limits"].iter().any(|key| field(value, key).is_some_and(Value::is_object)),
                key => NUMBERS.contains(&key) && value.is_u64(),
            };
            match key.as_str() {
                OUTSIDE => None,
                _ if is_its => Some(path),
                _ => field_of_pods(value, &path, depth),
            }
        }),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, item)| field_of_pods(item, &format!("{path}[{index}]"), depth))
        }
        _ => None,
    }
}
