//! The kubectl commands that unblock a rollout, or show more about it.

use alloc::format;
use alloc::string::String;

use serde_json::{Map, Value, json};

use super::refusing_quota::RefusingQuota;
use crate::object::ObjectKey;

/// How the user runs kubectl: `kubectl`, or with flags that select a cluster.
#[derive(Debug)]
pub(super) struct Kubectl(pub(super) String);

impl Default for Kubectl {
    fn default() -> Self {
        Self(String::from("kubectl"))
    }
}

impl Kubectl {
    /// `kubectl rollout` with the verb `undo` or `resume`.
    pub(super) fn rollout(&self, verb: &str, deployment: &ObjectKey) -> String {
        let ObjectKey { namespace, name, .. } = deployment;
        format!("{} rollout {verb} deployment/{name} --namespace {namespace}", self.0)
    }

    pub(super) fn patch_deployment(&self, deployment: &ObjectKey, patch: &Value) -> String {
        let ObjectKey { namespace, name, .. } = deployment;
        format!("{} patch deployment {name} --namespace {namespace} --patch '{patch}'", self.0)
    }

    pub(super) fn remove_finalizers(&self, namespace: &str, pod: &str) -> String {
        let patch = json!({ "metadata": { "finalizers": null } });
        format!("{} patch pod {pod} --namespace {namespace} --type merge --patch '{patch}'", self.0)
    }

    /// Deletes pods without waiting for their kubelets.
    pub(super) fn delete_pods_at_once(&self, namespace: &str, pods: &[&str]) -> String {
        format!("{} delete pod {} --namespace {namespace} --grace-period=0 --force", self.0, pods.join(" "))
    }

    /// Reads what a rollout consists of.
    pub(super) fn get_pods(&self, namespace: &str) -> String {
        format!("{} get deployments,replicasets,pods --namespace {namespace} --output json", self.0)
    }

    pub(super) fn describe_pod(&self, namespace: &str, pod: &str) -> String {
        format!("{} describe pod {pod} --namespace {namespace}", self.0)
    }

    /// The logs of a container's last run.
    pub(super) fn previous_logs(&self, namespace: &str, pod: &str, container: &str) -> String {
        format!("{} logs {pod} --container {container} --previous --namespace {namespace}", self.0)
    }

    /// Raises a quota to what a rollout needs; none if that is unknown.
    pub(super) fn raise_quota(&self, quota: &RefusingQuota) -> Option<String> {
        let RefusingQuota { namespace, name, demand, .. } = quota;
        let needed = demand.exceeded.iter().map(|exceeded| (exceeded.resource.clone(), json!(exceeded.needed)));
        let hard: Map<String, Value> = needed.collect();
        let patch = json!({ "spec": { "hard": hard } });
        let command = format!("{} patch resourcequota {name} --namespace {namespace} --patch '{patch}'", self.0);
        (!demand.exceeded.is_empty()).then_some(command)
    }

    pub(super) fn uncordon(&self, node: &str) -> String {
        format!("{} uncordon {node}", self.0)
    }

    pub(super) fn delete_node(&self, node: &str) -> String {
        format!("{} delete node {node}", self.0)
    }
}
