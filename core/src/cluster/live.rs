//! Scenarios of clusters that run.

use alloc::rc::Rc;
use alloc::vec::Vec;

use serde_json::Value;

use super::scheduler::{is_outdated, names_other_reason};
use super::simulation::Simulation;
use super::state::Cluster;
use crate::Problem;
use crate::object::unstructured::string;
use crate::object::{Kind, Object, Pod, Time};
use crate::scenario::{Scenario, StuckCause, StuckPod, Timing, pod_timings, read_live, starts_by_name};

/// The scenario of a cluster that runs: what happens next if nothing is changed. It takes the objects as
/// `kubectl get -o json` prints them. A Node gives its name, what its pods may take, whether it is cordoned or lost, and since
/// when a lost one is tainted; objects of other kinds than a scenario takes are left out. A node that pods are on and that is not
/// among the Nodes follows them, cordoned and without limits. Without Node objects, a node is lost, and tainted, since the node
/// controller has marked its pods.
///
/// Pods of Deployments that can't start, as in ImagePullBackOff, and new pods like them, never become ready. The same is true
/// for those that no node has room for, unless there are nodes, and what the scheduler says of them is what the simulation sees,
/// and for those that the API server refuses, unless a given quota is the reason. All other new pods of a Deployment become ready as
/// fast as its ready ones did.
///
/// A Deployment whose template is that of none of its ReplicaSets, although its status counts updated pods, was edited in the
/// text: it gets a new generation, as from the API server.
///
/// The scenario starts at `now`, or later if an object is younger: clocks differ. The limits of pods and steps follow the
/// objects: twice the pods, and 40 steps for each, but not less than by default.
///
/// # Errors
/// The first object that a simulation would refuse, with its position in the list: `[3].spec.replicas`.
pub fn live(objects: Vec<Value>, now: Time) -> Result<Scenario, Problem> {
    let starts = starts_by_name(objects.iter(), |_| true);
    let has_nodes = objects.iter().any(|object| string(object, "kind") == Kind::Node.name());
    let live = read_live(objects, now, has_nodes)?;
    Cluster::of(live.scenario.clone()).map_err(|problem| live.locate(problem))?;
    let mut scenario = live.scenario;
    let stuck_pods = still_stuck(live.stuck_pods, &scenario);
    if !stuck_pods.is_empty() || !starts.is_empty() {
        scenario.kubelet = pod_timings(&stuck_pods, &starts, &Timing::default());
    }
    Ok(scenario)
}

/// The pods that stay held up in a scenario. With nodes, the simulated scheduler knows when there is room for a pod, unless the
/// real one saw more: it names a reason that is not simulated, or found no room where the simulated one finds some at once,
/// although no node was added or uncordoned since.
pub(crate) fn still_stuck(stuck_pods: Vec<StuckPod>, scenario: &Scenario) -> Vec<StuckPod> {
    if scenario.nodes.is_empty() || !stuck_pods.iter().any(|pod| matches!(pod.cause, StuckCause::NoNode { .. })) {
        return stuck_pods;
    }
    let has_volumes = scenario.objects.iter().any(|manifest| manifest.kind() == Kind::PersistentVolume.name());
    // What is wrong with the scenario is found when it is simulated.
    let bound = bound_at_once(scenario).unwrap_or_default();
    let is_bound = |stuck: &StuckPod| {
        bound
            .iter()
            .any(|pod| *pod.metadata.name == *stuck.name && *pod.metadata.namespace == *stuck.deployment.namespace)
    };
    let stays = |pod: &StuckPod| match &pod.cause {
        StuckCause::NoNode { message } => {
            names_other_reason(message, has_volumes) || (is_bound(pod) && !is_outdated(message, &scenario.nodes))
        }
        StuckCause::Container { .. }
        | StuckCause::InitRuns { .. }
        | StuckCause::Gated { .. }
        | StuckCause::Untouched { .. }
        | StuckCause::Unready { .. }
        | StuckCause::Refused { .. } => true,
    };
    stuck_pods.into_iter().filter(stays).collect()
}

/// The pods that have a node after the first instant of a scenario.
fn bound_at_once(scenario: &Scenario) -> Result<Vec<Rc<Pod>>, Problem> {
    let mut simulation = Simulation::start(scenario.clone())?;
    simulation.run_until(scenario.start)?;
    let objects = simulation.objects();
    let pods = objects.iter().filter_map(Object::typed::<Pod>);
    Ok(pods.filter(|pod| pod.spec.node_name.is_some()).cloned().collect())
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec;

    use serde_json::json;

    use super::*;
    use crate::scenario::{Manifests, Node};
    use crate::timeline::Timeline;

    fn pod(name: &str, more: &Value) -> Value {
        let mut pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "uid": name, "resourceVersion": "7", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"nodeName": "a", "containers": [{"name": "a", "image": "a:1"}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
        });
        for (key, value) in more.as_object().unwrap() {
            pod["metadata"][key] = value.clone();
        }
        pod
    }

    fn simulated(objects: Vec<Value>) -> Timeline {
        let now = Time::parse("2026-01-01T01:00:00Z").unwrap();
        Timeline::run(live(objects, now).unwrap()).unwrap()
    }

    #[test]
    fn a_terminating_pod_has_the_time_that_it_has_left() {
        let more = json!({"deletionTimestamp": "2026-01-01T01:00:20Z", "deletionGracePeriodSeconds": 600});
        let timeline = simulated(vec![pod("web", &more)]);
        assert_eq!(timeline.len(), 1);
        assert_eq!(timeline.time_at(1).since(timeline.scenario.start), 20 * Time::SECOND);
        let late = json!({"deletionTimestamp": "2026-01-01T00:59:30Z", "deletionGracePeriodSeconds": 30});
        let timeline = simulated(vec![pod("web", &late)]);
        assert_eq!(timeline.time_at(1).since(timeline.scenario.start), 2 * Time::SECOND);
        let overdue = json!({"deletionTimestamp": "2026-01-01T00:59:29Z", "deletionGracePeriodSeconds": 30});
        assert_eq!(simulated(vec![pod("web", &overdue)]).len(), 0);
    }

    #[test]
    fn a_terminating_pod_has_been_stopping_since_it_was_deleted() {
        let gone_after = |due: &str, terminate: i64| {
            let more = json!({"deletionTimestamp": due, "deletionGracePeriodSeconds": 30});
            let now = Time::parse("2026-01-01T01:00:00Z").unwrap();
            let mut scenario = live(vec![pod("web", &more)], now).unwrap();
            scenario.kubelet =
                vec![Timing { terminate: Some(crate::scenario::Duration::seconds(terminate)), ..Timing::default() }];
            let timeline = Timeline::run(scenario).unwrap();
            timeline.time_at(1).since(timeline.scenario.start) / Time::SECOND
        };
        // Deleted 10 s ago, it takes 20 s in all.
        assert_eq!(gone_after("2026-01-01T01:00:20Z", 20), 10);
        // It has taken longer than assumed: nothing is known but when it is killed.
        assert_eq!(gone_after("2026-01-01T01:00:12Z", 5), 12);
    }

    #[test]
    fn a_terminating_pod_on_a_node_that_does_not_report_stays() {
        let is_touched = |status: &Value, gates: &Value| {
            let soon = json!({"deletionTimestamp": "2026-01-01T01:00:20Z", "deletionGracePeriodSeconds": 30});
            let mut pod = pod("web", &soon);
            pod["status"] = status.clone();
            pod["spec"]["readinessGates"] = gates.clone();
            simulated(vec![pod]).steps.iter().any(|step| step.about.kind == Kind::Pod)
        };
        let conditions = |ready: &str, containers_ready: &str| {
            let conditions =
                json!([{"type": "Ready", "status": ready}, {"type": "ContainersReady", "status": containers_ready}]);
            json!({"phase": "Running", "conditions": conditions})
        };
        let (none, gate) = (json!([]), json!([{"conditionType": "example.com/ready"}]));
        assert!(!is_touched(&conditions("False", "True"), &none));
        assert!(!is_touched(&json!({"phase": "Running", "reason": "NodeLost"}), &none));
        assert!(is_touched(&conditions("False", "True"), &gate));
        assert!(is_touched(&conditions("False", "False"), &none));
        assert!(is_touched(&conditions("True", "True"), &none));
    }

    #[test]
    fn new_pods_keep_away_from_a_node_that_does_not_report() {
        let marked = |name: &str| {
            let mut pod = pod(name, &json!({}));
            pod["status"]["conditions"] =
                json!([{"type": "Ready", "status": "False"}, {"type": "ContainersReady", "status": "True"}]);
            pod
        };
        // No other node has pods, but there may be one.
        let nodes = nodes_of_waiting_pod(vec![marked("web")]);
        assert!(!nodes.is_empty() && nodes.iter().all(|node| node != "a"), "{nodes:?}");
    }

    #[test]
    fn nodes_have_what_they_allocate() {
        let node = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "spec": {"unschedulable": true},
            "status": {"allocatable": {"pods": "110", "cpu": "3920m", "memory": "16Gi", "ephemeral-storage": "1"}},
        });
        let config_map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}});
        let scenario = live(vec![node, config_map], Time(0)).unwrap();
        let a = Node {
            name: "a".into(),
            pods: Some(110),
            cpu: Some("3920m".into()),
            memory: Some("16Gi".into()),
            resources: serde_json::Map::from_iter([(String::from("ephemeral-storage"), json!("1"))]).into(),
            cordoned: true,
            ..Node::default()
        };
        assert_eq!((scenario.nodes, scenario.actions, scenario.objects), (vec![a], vec![], Manifests::default()));
    }

    /// The nodes that a pod without one gets in a cluster with these objects: one for each write of the pod since then.
    fn nodes_of_waiting_pod(objects: Vec<Value>) -> Vec<String> {
        let mut waiting = pod("waiting", &json!({}));
        waiting["spec"]["nodeName"] = Value::Null;
        waiting["status"] = json!({"phase": "Pending"});
        let timeline = simulated(objects.into_iter().chain([waiting]).collect());
        let binds = timeline.steps.iter().filter_map(|step| match step.change.as_ref()?.after.as_ref()? {
            Object::Pod(pod) if &*pod.metadata.name == "waiting" => pod.spec.node_name.clone(),
            _ => None,
        });
        binds.map(|node| node.to_string()).collect()
    }

    #[test]
    fn a_waiting_pod_does_not_get_a_node_that_is_cordoned_or_lost_at_the_start() {
        let node = |name: &str, unschedulable: bool, ready: &str| {
            json!({
                "apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": {"unschedulable": unschedulable},
                "status": {"conditions": [{"type": "Ready", "status": ready}]},
            })
        };
        for hurt in [node("a", true, "True"), node("a", false, "Unknown")] {
            assert!(nodes_of_waiting_pod(vec![hurt.clone()]).is_empty(), "{hurt}");
            let nodes = nodes_of_waiting_pod(vec![hurt, node("b", false, "True")]);
            assert!(!nodes.is_empty() && nodes.iter().all(|node| node == "b"), "{nodes:?}");
        }
    }

    #[test]
    fn a_pod_stays_on_a_node_that_is_not_among_the_nodes_and_others_keep_away() {
        let node = |name: &str| json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}});
        let objects = || vec![node("b"), pod("web", &json!({})), node("c")];
        let scenario = live(objects(), Time(0)).unwrap();
        let nodes: Vec<(&str, bool)> = scenario.nodes.iter().map(|node| (node.name.as_str(), node.cordoned)).collect();
        assert_eq!(nodes, [("b", false), ("c", false), ("a", true)]);
        let timeline = simulated(objects());
        assert!(timeline.initial.pods().all(|pod| pod.spec.node_name.as_deref() == Some("a")));
        assert!(timeline.steps.iter().all(|step| step.about.kind != Kind::Pod));
        let nodes = nodes_of_waiting_pod(objects());
        assert!(!nodes.is_empty() && nodes.iter().all(|node| node == "b" || node == "c"), "{nodes:?}");
    }

    #[test]
    fn what_a_simulation_would_refuse_is_found_where_it_was_given() {
        let config_map = || json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}});
        let node = |cpu: &str| json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": cpu}}});
        let elsewhere = || {
            let mut pod = pod("web", &json!({}));
            pod["spec"]["nodeName"] = "b".into();
            // No cluster gave it.
            pod["metadata"].as_object_mut().unwrap().remove("uid");
            pod
        };
        let soon = json!({"deletionTimestamp": "soon"});
        for (objects, expected) in [
            (vec![config_map(), json!({"foo": 1})], "[1]: Invalid value: {\"foo\":1}: must be an object with a kind"),
            (
                vec![config_map(), pod("web", &soon)],
                "[1].metadata.deletionTimestamp: Invalid value: \"soon\": must be an RFC 3339 time, like 2026-01-01T00:00:00Z",
            ),
            (
                vec![config_map(), node("4"), config_map(), elsewhere()],
                "[3].spec.nodeName: Not found: \"b\": must be one of the given nodes",
            ),
            (vec![node("4"), config_map(), node("4")], "[2].metadata.name: Duplicate value: \"a\": must be unique"),
            (
                vec![config_map(), pod("web", &json!({})), pod("web", &json!({}))],
                "[2].metadata.name: Duplicate value: \"web\": a Pod with this name is already given",
            ),
            (
                vec![config_map(), node("lots")],
                "[1].status.allocatable.cpu: Invalid value: \"lots\": must be an amount like 4, 500m or 16Gi",
            ),
        ] {
            assert_eq!(live(objects, Time(0)).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn a_younger_object_moves_the_start() {
        let young = json!({"creationTimestamp": "2026-01-01T01:00:07Z"});
        assert_eq!(simulated(vec![pod("web", &young)]).scenario.start, Time::parse("2026-01-01T01:00:07Z").unwrap());
    }
}
