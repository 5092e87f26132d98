//! Volumes, claims and storage classes as far as they decide about nodes.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::node_affinity::NodeSelector;
use crate::Problem;
use crate::json::{FromJson, ToJson, decode};
use crate::object::Strings;
use crate::object::unstructured::{at, field, list, string};

/// A volume of a pod that may tie it to nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PodVolume {
    /// A claim.
    Claim(String),
    /// A claim that is made for the pod alone.
    Ephemeral(String),
    /// A disk that is named in the pod itself.
    Disk(Disk),
}

/// A disk of which a node has only one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Disk {
    Gce { name: String, read_only: bool },
    Aws { id: String },
    Iscsi { iqn: String, read_only: bool },
    Rbd { monitors: Vec<String>, pool: String, image: String, read_only: bool },
}

impl PodVolume {
    /// The volume of a pod with that name; none for one that ties no pod to a node.
    pub(super) fn of(volume: &Value, pod: &str) -> Option<Self> {
        let read_only = |source: &Value| field(source, "readOnly") == Some(&Value::Bool(true));
        if let Some(claim) = field(volume, "persistentVolumeClaim") {
            return Some(Self::Claim(string(claim, "claimName").into()));
        }
        if field(volume, "ephemeral").is_some() {
            return Some(Self::Ephemeral(format!("{pod}-{}", string(volume, "name"))));
        }
        let disk = if let Some(gce) = field(volume, "gcePersistentDisk") {
            Disk::Gce { name: string(gce, "pdName").into(), read_only: read_only(gce) }
        } else if let Some(aws) = field(volume, "awsElasticBlockStore") {
            Disk::Aws { id: string(aws, "volumeID").into() }
        } else if let Some(iscsi) = field(volume, "iscsi") {
            Disk::Iscsi { iqn: string(iscsi, "iqn").into(), read_only: read_only(iscsi) }
        } else {
            let rbd = field(volume, "rbd")?;
            Disk::Rbd {
                monitors: list(rbd, "monitors").iter().filter_map(Value::as_str).map(String::from).collect(),
                pool: string(rbd, "pool").into(),
                image: string(rbd, "image").into(),
                read_only: read_only(rbd),
            }
        };
        Some(Self::Disk(disk))
    }

    /// Whether all pods of a template have the same.
    pub(super) fn is_shared(&self) -> bool {
        !matches!(self, Self::Ephemeral(_))
    }

    /// The claim that a pod names.
    pub(super) fn claim(&self) -> Option<&str> {
        match self {
            Self::Claim(name) => Some(name),
            Self::Ephemeral(_) | Self::Disk(_) => None,
        }
    }
}

impl Disk {
    /// Whether one node can't have both.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go isVolumeConflict`
    pub(super) fn clashes_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Gce { name, read_only }, Self::Gce { name: its, read_only: also }) => {
                name == its && !(*read_only && *also)
            }
            (Self::Aws { id }, Self::Aws { id: its }) => id == its,
            (Self::Iscsi { iqn, read_only }, Self::Iscsi { iqn: its, read_only: also }) => {
                iqn == its && !(*read_only && *also)
            }
            (
                Self::Rbd { monitors, pool, image, read_only },
                Self::Rbd { monitors: theirs, pool: its_pool, image: its_image, read_only: also },
            ) => {
                monitors.iter().any(|monitor| theirs.contains(monitor))
                    && pool == its_pool
                    && image == its_image
                    && !(*read_only && *also)
            }
            _ => false,
        }
    }
}

/// A PersistentVolumeClaim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The namespace.
    pub namespace: Rc<str>,
    /// The name.
    pub name: Rc<str>,
    /// Whether only one pod may use it.
    pub is_for_one_pod: bool,
    /// The volume that it is bound to; empty if there is none yet.
    pub volume: String,
    /// Whether the binding is complete.
    pub is_bound: bool,
    /// The class that makes its volume.
    pub class: String,
    /// Whether its volume is lost.
    pub is_lost: bool,
    /// Whether it is being deleted.
    pub is_deleted: bool,
}

impl Claim {
    /// Reads a claim as the API server prints it.
    pub fn of(object: &Value) -> Self {
        let text = |path: &[&str]| at(object, path).and_then(Value::as_str).unwrap_or_default();
        let annotation = |key: &str| at(object, &["metadata", "annotations", key]).and_then(Value::as_str);
        let modes = at(object, &["spec"]).map_or(&[][..], |spec| list(spec, "accessModes"));
        Self {
            namespace: text(&["metadata", "namespace"]).into(),
            name: text(&["metadata", "name"]).into(),
            is_for_one_pod: modes.iter().any(|mode| mode == "ReadWriteOncePod"),
            volume: text(&["spec", "volumeName"]).into(),
            is_bound: annotation("pv.kubernetes.io/bind-completed").is_some(),
            class: annotation("volume.beta.kubernetes.io/storage-class")
                .unwrap_or_else(|| text(&["spec", "storageClassName"]))
                .into(),
            is_lost: text(&["status", "phase"]) == "Lost",
            is_deleted: at(object, &["metadata", "deletionTimestamp"]).is_some(),
        }
    }
}

/// A PersistentVolume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// The name.
    pub name: String,
    /// The labels, of which those about zones count.
    pub(super) labels: Strings,
    pub(super) node_affinity: Option<NodeSelector>,
}

impl Volume {
    /// Reads a volume as the API server prints it.
    pub fn of(object: &Value) -> Self {
        Self {
            name: at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default().into(),
            labels: at(object, &["metadata", "labels"]).and_then(|map| decode(map, "").ok()).unwrap_or_default(),
            node_affinity: at(object, &["spec", "nodeAffinity", "required"]).and_then(|terms| decode(terms, "").ok()),
        }
    }
}

/// The field of a StorageClass with the places of its volumes.
const ALLOWED: &str = "allowedTopologies";

/// A StorageClass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorageClass {
    /// The name.
    pub name: String,
    /// Whether a volume is made only once a pod has a node.
    pub waits_for_consumer: bool,
    /// The provisioner that makes its volumes; empty if there is none.
    pub provisioner: String,
    /// Where volumes can be: without any, everywhere.
    pub(super) topologies: Vec<TopologySelectorTerm>,
}

/// Upstream: `k8s.io/api/core/v1/types.go TopologySelectorTerm`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TopologySelectorTerm {
    pub(super) match_label_expressions: Vec<TopologyLabel>,
}

/// Upstream: `k8s.io/api/core/v1/types.go TopologySelectorLabelRequirement`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TopologyLabel {
    pub(super) key: String,
    pub(super) values: Vec<String>,
}

impl StorageClass {
    /// Reads a manifest.
    ///
    /// # Errors
    /// A field of a wrong type, with its path.
    pub(super) fn read(object: &Value, path: &str) -> Result<Self, Problem> {
        let terms = field(object, ALLOWED);
        terms
            .map_or(Ok(Vec::new()), |terms| decode::<Vec<TopologySelectorTerm>>(terms, &format!("{path}.{ALLOWED}")))?;
        Ok(Self::of(object))
    }

    /// Reads a class as the API server prints it.
    pub fn of(object: &Value) -> Self {
        Self {
            name: at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default().into(),
            waits_for_consumer: string(object, "volumeBindingMode") == "WaitForFirstConsumer",
            provisioner: string(object, "provisioner").into(),
            topologies: field(object, ALLOWED).and_then(|terms| decode(terms, "").ok()).unwrap_or_default(),
        }
    }
}
