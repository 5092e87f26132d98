//! The controller that owns an object.

use serde_json::Value;

use super::cluster_reader::{Cluster, Freshness, Lookup};
use crate::object::Kind;
use crate::object::unstructured::{field, list, string};

/// The controller that an object names as its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Controller {
    None,
    /// A controller that creates objects of this kind from a template, which the policy has already checked.
    Of(Kind),
    /// Any other controller: the policy has not checked what it wrote.
    Unknown,
}

impl Controller {
    /// The controller of an object.
    /// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go GetControllerOf`
    pub(super) fn of(object: &Value, kind: Kind) -> Self {
        let Some(reference) = controller_reference(object) else { return Self::None };
        let creates_it = |owner: &Kind| owner.workload().is_some_and(|workload| workload.creates == kind.name());
        Kind::of(reference).filter(creates_it).map_or(Self::Unknown, Self::Of)
    }

    /// Whether it is known to rank its pods by their deletion costs.
    pub(super) fn ranks_pods(self) -> bool {
        match self {
            Self::Of(kind) => kind.workload().is_some_and(|workload| workload.ranks_pods),
            Self::None | Self::Unknown => false,
        }
    }
}

/// The reference to the controller.
/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go GetControllerOfNoCopy`
pub(super) fn controller_reference(object: &Value) -> Option<&Value> {
    let references = field(object, "metadata").map_or(&[][..], |metadata| list(metadata, "ownerReferences"));
    references.iter().find(|reference| field(reference, "controller").and_then(Value::as_bool) == Some(true))
}

/// Whether the cluster has no controller of that name and uid: the reference was made up, or the owner has just been
/// deleted. If the cluster does not answer, the reference is believed, as without a cluster.
pub(super) fn is_made_up(object: &Value, namespace: &str, cluster: &mut Cluster<'_>) -> bool {
    let Some((reference, kind)) = controller_reference(object).and_then(|found| Some((found, Kind::of(found)?))) else {
        return false;
    };
    let (name, uid) = (string(reference, "name"), string(reference, "uid"));
    if !is_name(name) {
        return true;
    }
    let mut is_missing = |freshness| {
        let lookup = Lookup { kind, namespace, name, fields: &["metadata"], freshness };
        let Ok(found) = cluster.get(&lookup, "the owner is not checked") else { return false };
        let owner = found.as_ref().and_then(|owner| field(owner, "metadata")).map(|metadata| string(metadata, "uid"));
        owner != Some(uid)
    };
    // For seconds, a cache keeps an owner that was deleted and created again.
    is_missing(Freshness::Cached) && is_missing(Freshness::Latest)
}

/// Whether an object can have this name. A reference may contain any text, and the host makes a path of it.
fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.bytes().all(|byte| is_letter(byte) || matches!(byte, b'-' | b'.'))
        && name.bytes().next().is_some_and(is_letter)
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use serde_json::json;

    use super::*;
    use crate::review::ClusterReader;

    /// The uids of the ReplicaSet `web-1`: in the host's cache, and in the API server.
    struct Uids {
        cached: Option<&'static str>,
        latest: Result<Option<&'static str>, &'static str>,
    }

    impl ClusterReader for Uids {
        fn get(&self, lookup: &Lookup<'_>) -> Result<Option<Value>, String> {
            let uid = match lookup.freshness {
                Freshness::Cached => self.cached,
                Freshness::Latest => self.latest?,
            };
            Ok(uid.map(|uid| json!({ "metadata": { "name": lookup.name, "uid": uid } })))
        }

        fn list(&self, _: &Lookup<'_>) -> Result<Vec<Value>, String> {
            Err("no list is needed".into())
        }
    }

    #[test]
    fn the_cluster_is_only_asked_for_names_that_an_object_can_have() {
        let uids = Uids { cached: Some("1"), latest: Ok(Some("1")) };
        for (name, expected) in [
            ("web-1.a", false),
            ("", true),
            ("-", true),
            ("..", true),
            ("../../secrets/web", true),
            ("web/status", true),
            ("web?watch=1", true),
            ("Web", true),
        ] {
            let owner =
                json!({ "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": "1", "controller": true });
            let pod = json!({ "metadata": { "ownerReferences": [owner] } });
            assert_eq!(is_made_up(&pod, "shop", &mut Cluster::new(&uids)), expected, "{name}");
        }
    }

    #[test]
    fn only_the_latest_answer_shows_that_an_owner_was_made_up() {
        let owner =
            json!({ "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "new", "controller": true });
        let pod = json!({ "metadata": { "name": "web-1-abcde", "ownerReferences": [owner] } });
        for (cached, latest, expected) in [
            (Some("new"), Err("must not be asked"), false),
            // It was deleted and created again.
            (Some("old"), Ok(Some("new")), false),
            // It has just been created.
            (None, Ok(Some("new")), false),
            (Some("old"), Ok(Some("old")), true),
            (Some("old"), Ok(None), true),
            (None, Ok(None), true),
            (Some("old"), Err("too late"), false),
        ] {
            let uids = Uids { cached, latest };
            let mut cluster = Cluster::new(&uids);
            assert_eq!(is_made_up(&pod, "shop", &mut cluster), expected, "{cached:?} {latest:?}");
            let is_unknown = !cluster.into_unknown().is_empty();
            assert_eq!(is_unknown, cached != Some("new") && latest.is_err(), "{cached:?} {latest:?}");
        }
    }
}
