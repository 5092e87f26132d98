//! Claims that keep pods from nodes, as the objects and their Events say.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::kubectl::Kubectl;
use super::obstacle::{LOOK_AT_EVENTS, Obstacle, details};
use crate::collect_tree::CollectTree;
use crate::object::unstructured::{at, field, list, name, namespace, string};
use crate::object::{Kind, ObjectKey, Time};
use crate::scenario::{Node, about_of, last_time_of};

/// Events that say that a claim waits for a pod, not the pod for the claim.
const WAITS_FOR_POD: [&str; 2] = ["WaitForFirstConsumer", "WaitForPodScheduled"];

/// A claim of a pod that has no node.
#[derive(Debug)]
pub(super) struct PodClaim {
    key: ObjectKey,
    state: ClaimState,
}

#[derive(Debug)]
enum ClaimState {
    /// It has no volume yet. `said`: its last Event, as `Reason: message`.
    Unbound { class: String, said: Option<String> },
    /// Its volume can only be used on nodes with these labels.
    OnSomeNodes { volume: String, labels: String, term: Value },
}

/// The claims of pods without a node, by namespace and name of the pod.
pub(super) fn claims_of_pods(objects: &[Value]) -> BTreeMap<(String, String), Vec<PodClaim>> {
    let of_kind = |kind: Kind| objects.iter().filter(move |object| string(object, "kind") == kind.name());
    let named = |kind| of_kind(kind).map(|object| ((namespace(object).unwrap_or_default(), name(object)), object));
    let claims: BTreeMap<(&str, &str), &Value> = named(Kind::PersistentVolumeClaim).collect_tree();
    let volumes: BTreeMap<&str, &Value> =
        objects.iter().filter(|it| string(it, "kind") == "PersistentVolume").map(|it| (name(it), it)).collect_tree();
    let mut said: BTreeMap<(&str, &str), (Option<Time>, String)> = BTreeMap::new();
    for event in objects.iter().filter(|object| string(object, "kind") == "Event") {
        let about = about_of(event).filter(|about| string(about, "kind") == Kind::PersistentVolumeClaim.name());
        let Some(about) = about else { continue };
        let time = last_time_of(event);
        let claim = (string(about, "namespace"), string(about, "name"));
        if said.get(&claim).is_none_or(|(known, _)| *known <= time) {
            let message = [string(event, "message"), string(event, "note")].concat();
            said.insert(claim, (time, format!("{}: {}", string(event, "reason"), message.trim())));
        }
    }
    let mut of_pods: BTreeMap<(String, String), Vec<PodClaim>> = BTreeMap::new();
    for pod in of_kind(Kind::Pod).filter(|pod| at(pod, &["spec", "nodeName"]).is_none()) {
        let in_namespace = namespace(pod).unwrap_or_default();
        let volumes_of_pod = at(pod, &["spec"]).map(|spec| list(spec, "volumes")).unwrap_or_default();
        for volume in volumes_of_pod {
            let of_template =
                || at(volume, &["ephemeral"]).map(|_| format!("{}-{}", name(pod), string(volume, "name")));
            let claimed =
                at(volume, &["persistentVolumeClaim"]).map(|source| String::from(string(source, "claimName")));
            let Some(claim_name) = claimed.or_else(of_template) else { continue };
            let Some(claim) = claims.get(&(in_namespace, claim_name.as_str())) else { continue };
            let said = said.get(&(in_namespace, claim_name.as_str())).map(|(_, said)| said.clone());
            let Some(state) = ClaimState::of(claim, &volumes, said) else { continue };
            let key = ObjectKey::new(Kind::PersistentVolumeClaim, in_namespace, claim_name.as_str());
            of_pods.entry((in_namespace.into(), name(pod).into())).or_default().push(PodClaim { key, state });
        }
    }
    of_pods
}

impl ClaimState {
    /// None if the claim keeps its pods from no node.
    fn of(claim: &Value, volumes: &BTreeMap<&str, &Value>, said: Option<String>) -> Option<Self> {
        let spec = field(claim, "spec")?;
        let phase = at(claim, &["status"]).map_or("", |status| string(status, "phase"));
        if phase != "Bound" {
            let waits = |said: &String| WAITS_FOR_POD.iter().any(|reason| said.starts_with(reason));
            let class = string(spec, "storageClassName").into();
            return (!said.as_ref().is_some_and(waits)).then_some(Self::Unbound { class, said });
        }
        let volume = volumes.get(string(spec, "volumeName"))?;
        let terms = at(volume, &["spec", "nodeAffinity", "required"]).map(|it| list(it, "nodeSelectorTerms"));
        let [term] = terms? else { return None };
        let labels: Vec<String> = list(term, "matchExpressions").iter().map(requirement_in_words).collect();
        let (volume, labels) = (String::from(name(volume)), labels.join(" and "));
        (!labels.is_empty()).then_some(Self::OnSomeNodes { volume, labels, term: term.clone() })
    }
}

impl PodClaim {
    /// Whether it is not bound.
    pub(super) const fn is_unbound(&self) -> bool {
        matches!(self.state, ClaimState::Unbound { .. })
    }

    /// Whether its volume can be used on one of these nodes, as far as its labels say it.
    pub(super) fn is_usable_on(&self, node: &str, nodes: &[Node]) -> bool {
        let ClaimState::OnSomeNodes { term, .. } = &self.state else { return false };
        let node = nodes.iter().find(|it| it.name == node);
        let has = |requirement: &Value| {
            let label = node.and_then(|node| node.labels.get(string(requirement, "key")));
            let values = list(requirement, "values");
            string(requirement, "operator") == "In"
                && label.is_some_and(|label| values.iter().any(|value| value.as_str() == Some(label.as_str())))
        };
        list(term, "matchExpressions").iter().all(has)
    }

    /// That the scheduler finds no node for its pod because of it. `cordoned`: a node where its volume can be used.
    pub(super) fn obstacle(&self, pod: &str, cordoned: Option<&String>, kubectl: &Kubectl) -> Obstacle {
        let claim = &self.key.name;
        let (why, to_do) = match &self.state {
            ClaimState::Unbound { class, said } => {
                let of_class = if class.is_empty() { String::new() } else { format!(" (storage class {class})") };
                let said = said.as_deref().unwrap_or_default();
                (format!("its claim {claim}{of_class} is not bound{}", details(said)), to_do_about_claim(said, class))
            }
            ClaimState::OnSomeNodes { volume, labels, .. } => {
                let why = format!("volume {volume} of its claim {claim} can only be used on nodes with {labels}");
                match cordoned {
                    Some(node) => {
                        (format!("{why}, and node {node} is cordoned"), format!("uncordon {node}, or add such a node"))
                    }
                    None => (why, format!("add a node with {labels}, or make room on one")),
                }
            }
        };
        let obstacle = Obstacle::new(format!("the scheduler finds no node for pod {pod}: {why}")).with_remedy(to_do);
        match cordoned {
            Some(node) => obstacle.with_command(kubectl.uncordon(node)),
            None if obstacle.remedy.as_deref() == Some(LOOK_AT_EVENTS) => {
                obstacle.with_command(kubectl.describe_claim(&self.key))
            }
            None => obstacle.with_shown("the claim", kubectl.describe_claim(&self.key)),
        }
    }
}

/// A requirement of a node's labels: `disktype In (ssd)`.
pub(super) fn requirement_in_words(requirement: &Value) -> String {
    let values: Vec<&str> = list(requirement, "values").iter().filter_map(Value::as_str).collect();
    let values = if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) };
    format!("{} {}{values}", string(requirement, "key"), string(requirement, "operator"))
}

/// What to do about a claim without a volume of which an Event says this.
///
/// Upstream: `pkg/controller/volume/persistentvolume/pv_controller.go syncUnboundClaim`
fn to_do_about_claim(said: &str, class: &str) -> String {
    let (reason, message) = said.split_once(": ").unwrap_or_default();
    match reason {
        "ProvisioningFailed" if message.contains("storageclass") && message.contains("not found") => {
            format!("create StorageClass {class}, or create the claim again with another storageClassName")
        }
        "FailedBinding" if message.contains("no storage class is set") => String::from(
            "create a PersistentVolume for it, or create the claim again with a storageClassName: there is no default StorageClass",
        ),
        "ExternalProvisioning" => String::from("check that the provisioner runs that it names"),
        "" => LOOK_AT_EVENTS.into(),
        _ => String::from("correct what its message names"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(events: &[(&str, &str, &str)]) -> Vec<(String, String)> {
        let pod = json!({
            "kind": "Pod", "metadata": { "name": "db-0", "namespace": "shop" },
            "spec": { "volumes": [{ "name": "data", "persistentVolumeClaim": { "claimName": "data-db-0" } }] },
        });
        let claim = json!({
            "kind": "PersistentVolumeClaim", "metadata": { "name": "data-db-0", "namespace": "shop" },
            "spec": { "storageClassName": "fast" }, "status": { "phase": "Pending" },
        });
        let event = |(reason, message, time): &(&str, &str, &str)| {
            json!({
                "kind": "Event", "reason": reason, "message": message, "lastTimestamp": time,
                "involvedObject": { "kind": "PersistentVolumeClaim", "namespace": "shop", "name": "data-db-0" },
            })
        };
        let objects: Vec<Value> = [pod, claim].into_iter().chain(events.iter().map(event)).collect();
        let claims = claims_of_pods(&objects).into_values().flatten().collect::<Vec<_>>();
        let obstacles = claims.iter().map(|claim| claim.obstacle("db-0", None, &Kubectl::default()));
        obstacles.map(|obstacle| (obstacle.why, obstacle.remedy.unwrap_or_default())).collect()
    }

    #[test]
    fn the_last_event_of_a_claim_says_why_it_is_not_bound() {
        let is_not_bound =
            "the scheduler finds no node for pod db-0: its claim data-db-0 (storage class fast) is not bound";
        for (reason, message, to_do) in [
            ("ProvisioningFailed", "storageclass.storage.k8s.io \"fast\" not found", "create StorageClass fast, or"),
            ("ProvisioningFailed", "failed to provision volume: quota exceeded", "correct what its message names"),
            ("FailedBinding", "no persistent volumes available for this claim and no storage class is set", "create a"),
            ("ExternalProvisioning", "Waiting for a volume to be created", "check that the provisioner runs"),
        ] {
            let earlier = ("WaitForFirstConsumer", "waiting for first consumer", "2026-01-01T00:00:00Z");
            let [(why, remedy)] = said(&[(reason, message, "2026-01-01T00:01:00Z"), earlier]).try_into().unwrap();
            assert_eq!(why, format!("{is_not_bound}: {reason}: {message}"));
            assert!(remedy.starts_with(to_do), "{remedy}");
        }
        let [(why, remedy)] = said(&[]).try_into().unwrap();
        assert_eq!((why.as_str(), remedy.as_str()), (is_not_bound, "look at its events"));
        // The claim waits for the pod, so something else keeps the pod from a node.
        let waits = "waiting for first consumer to be created before binding";
        assert_eq!(said(&[("WaitForFirstConsumer", waits, "2026-01-01T00:00:00Z")]), []);
    }
}
