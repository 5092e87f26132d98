//! Objects that affect which nodes take a pod, as their manifests give them.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::affinity_term::Namespaces;
use super::node_affinity::NodeSelector;
use super::pod_shape::PodShape;
use super::volume::{Claim, StorageClass, Volume};
use crate::Problem;
use crate::go::{quoted, quoted_list};
use crate::json::decode;
use crate::object::unstructured::{at, field, integer, list, name, namespace, string};
use crate::object::{Kind, LabelSelector, Pod, Strings};
use crate::problem::shortened;

/// The label with a namespace's name, which the API server gives it.
///
/// Upstream: `k8s.io/api/core/v1/well_known_labels.go LabelMetadataName`
pub(crate) const NAME_OF_NAMESPACE: &str = "kubernetes.io/metadata.name";

/// The classes that every cluster has.
///
/// Upstream: `pkg/apis/scheduling/v1/helpers.go SystemPriorityClasses`
pub(crate) const SYSTEM_CLASSES: [(&str, i64); 2] =
    [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)];

/// An object that affects which nodes take a pod.
#[derive(Clone, Debug)]
pub enum Surrounding {
    /// A Namespace, whose labels rules about other pods select.
    Namespace {
        /// The name.
        name: Rc<str>,
        /// The labels.
        labels: Strings,
    },
    /// A Service: its pods are spread over the nodes and zones.
    Service {
        /// The namespace.
        namespace: Rc<str>,
        /// The pods that it selects; none without a selector.
        selector: Strings,
    },
    /// A PersistentVolume.
    Volume(Volume),
    /// A StorageClass.
    StorageClass(StorageClass),
    /// A PriorityClass.
    PriorityClass(PriorityClass),
}

/// A PriorityClass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorityClass {
    /// The name.
    pub name: String,
    /// The priority of its pods.
    pub value: i64,
    /// Whether pods that name no class have it.
    pub is_default: bool,
    /// Whether its pods never take the place of others.
    pub never_preempts: bool,
}

impl Surrounding {
    /// Reads a manifest.
    ///
    /// # Errors
    /// A field of a wrong type or with a value that the API server refuses, with its path.
    pub(crate) fn read(kind: Kind, manifest: &Value, path: &str) -> Result<Self, Problem> {
        let strings = |fields: &[&str]| -> Result<Strings, Problem> {
            let given = at(manifest, fields);
            given.map_or_else(|| Ok(Strings::default()), |given| decode(given, &format!("{path}.{}", fields.join("."))))
        };
        let one_of = |key: &str, supported: [&'static str; 2]| match string(manifest, key) {
            "" => Ok(()),
            given if supported.contains(&given) => Ok(()),
            given => Err(unsupported(format!("{path}.{key}"), given, &supported)),
        };
        match kind {
            Kind::Namespace => {
                let mut labels = strings(&["metadata", "labels"])?;
                labels.insert(NAME_OF_NAMESPACE.into(), name(manifest).into());
                Ok(Self::Namespace { name: name(manifest).into(), labels })
            }
            Kind::Service => Ok(Self::Service {
                namespace: namespace(manifest).unwrap_or("default").into(),
                selector: strings(&["spec", "selector"])?,
            }),
            Kind::PersistentVolume => {
                strings(&["metadata", "labels"])?;
                validate_affinity(manifest, path)?;
                Ok(Self::Volume(Volume::of(manifest)))
            }
            Kind::StorageClass => {
                one_of("volumeBindingMode", ["Immediate", "WaitForFirstConsumer"])?;
                Ok(Self::StorageClass(StorageClass::read(manifest, path)?))
            }
            _ => {
                one_of("preemptionPolicy", ["Never", "PreemptLowerPriority"])?;
                Ok(Self::PriorityClass(PriorityClass {
                    name: name(manifest).into(),
                    value: priority(manifest, path)?,
                    is_default: field(manifest, "globalDefault") == Some(&Value::Bool(true)),
                    never_preempts: string(manifest, "preemptionPolicy") == "Never",
                }))
            }
        }
    }
}

fn unsupported(path: String, given: &str, supported: &[&'static str]) -> Problem {
    let supported = quoted_list(supported.iter().copied());
    Problem::new(path, format!("Unsupported value: {}: supported values: {supported}", quoted(given)))
}

/// The value of a PriorityClass, which is 0 where there is none.
fn priority(manifest: &Value, path: &str) -> Result<i64, Problem> {
    let Some(given) = field(manifest, "value") else { return Ok(0) };
    integer(manifest, "value").filter(|value| i32::try_from(*value).is_ok()).ok_or_else(|| {
        let message = format!("Invalid value: {}: must be an integer of 32 bits, like 1000", shortened(given));
        Problem::new(format!("{path}.value"), message)
    })
}

/// The nodes that can have a volume.
fn validate_affinity(manifest: &Value, path: &str) -> Result<(), Problem> {
    const OPERATORS: [&str; 6] = ["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"];
    let Some(required) = at(manifest, &["spec", "nodeAffinity", "required"]) else { return Ok(()) };
    let path = format!("{path}.spec.nodeAffinity.required");
    decode::<NodeSelector>(required, &path)?;
    let terms = list(required, "nodeSelectorTerms");
    if terms.is_empty() {
        let message = "Required value: must have at least one node selector term";
        return Err(Problem::new(format!("{path}.nodeSelectorTerms"), message));
    }
    for (index, term) in terms.iter().enumerate() {
        for (expression, given) in list(term, "matchExpressions").iter().enumerate() {
            let operator = string(given, "operator");
            if !OPERATORS.contains(&operator) {
                let path = format!("{path}.nodeSelectorTerms[{index}].matchExpressions[{expression}].operator");
                return Err(unsupported(path, operator, &OPERATORS));
            }
        }
    }
    Ok(())
}

/// A controller of pods: kind, namespace and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The kind.
    pub kind: Rc<str>,
    /// The namespace.
    pub namespace: Rc<str>,
    /// The name.
    pub name: Rc<str>,
}

/// Objects that bear on where pods run.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The namespaces, with their labels.
    pub namespaces: Namespaces,
    /// The selectors of the Services, each with its namespace.
    pub services: Vec<(Rc<str>, Strings)>,
    /// The selectors of ReplicaSets, ReplicationControllers and StatefulSets: by kind, namespace and name.
    pub owners: Vec<(Owner, LabelSelector)>,
    /// The claims.
    pub claims: Vec<Claim>,
    /// The volumes.
    pub volumes: Vec<Volume>,
    /// The classes of volumes.
    pub storage_classes: Vec<StorageClass>,
    /// The classes of priorities, besides those that every cluster has.
    pub priority_classes: Vec<PriorityClass>,
    /// Whether the claims, volumes and namespaces are complete. If not, a missing one keeps no pod from a node.
    pub is_complete: bool,
}

impl Surroundings {
    /// A claim.
    pub(super) fn claim(&self, namespace: &str, name: &str) -> Option<&Claim> {
        self.claims.iter().find(|claim| *claim.name == *name && *claim.namespace == *namespace)
    }

    /// Takes these in place of those that were there.
    pub(super) fn replace<'a>(&mut self, surroundings: impl Iterator<Item = &'a Surrounding>) {
        self.namespaces.clear();
        self.services.clear();
        self.volumes.clear();
        self.storage_classes.clear();
        self.priority_classes.clear();
        for surrounding in surroundings {
            match surrounding.clone() {
                Surrounding::Namespace { name, labels } => self.namespaces.push((name, labels)),
                Surrounding::Service { namespace, selector } => self.services.push((namespace, selector)),
                Surrounding::Volume(volume) => self.volumes.push(volume),
                Surrounding::StorageClass(class) => self.storage_classes.push(class),
                Surrounding::PriorityClass(class) => self.priority_classes.push(class),
            }
        }
    }

    /// Knows a namespace that is not given: it has the label that every namespace has.
    pub(super) fn know_namespace(&mut self, name: &Rc<str>) {
        if !self.is_complete && !self.namespaces.iter().any(|(known, _)| known == name) {
            let mut labels = Strings::default();
            labels.insert(NAME_OF_NAMESPACE.into(), String::from(&**name));
            self.namespaces.push((name.clone(), labels));
        }
    }

    /// Gives a pod the priority of its class.
    ///
    /// Upstream: `plugin/pkg/admission/priority/admission.go Plugin.admitPod`, `Plugin.getDefaultPriorityClass`
    pub(super) fn put_priority(&self, pod: &Pod, shape: &mut PodShape) {
        let spec = |key: &str| pod.spec.fields.unknown.get(key);
        if spec("priority").is_some_and(|priority| !priority.is_null()) {
            return;
        }
        let named = spec("priorityClassName").and_then(Value::as_str).unwrap_or_default();
        if let Some((_, value)) = SYSTEM_CLASSES.iter().find(|(name, _)| *name == named) {
            shape.priority = *value;
            return;
        }
        let classes = self.priority_classes.iter();
        let class = match named {
            "" => classes.filter(|class| class.is_default).min_by_key(|class| class.value),
            _ => self.priority_classes.iter().find(|class| class.name == named),
        };
        if let Some(class) = class {
            shape.priority = class.value;
            shape.never_preempts |= class.never_preempts;
        }
    }
}
