//! The kubectl commands that unblock a rollout, or show more about it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use super::refusing_quota::RefusingQuota;
use crate::collect_tree::CollectTree;
use crate::object::{Kind, ObjectKey, Runs};
use crate::workload::job::Job;

/// How the user runs kubectl: `kubectl`, or with flags that select a cluster.
#[derive(Debug)]
pub(super) struct Kubectl(pub(super) String);

impl Default for Kubectl {
    fn default() -> Self {
        Self(String::from("kubectl"))
    }
}

/// A text as one word of a shell, quoted where it must be. Names that the API server accepts stay as they are.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) { text.into() } else { shell_quoted(text) }
}

/// A text as one quoted word of a shell.
pub fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

impl Kubectl {
    /// `kubectl rollout` with a verb, like `undo`.
    pub(super) fn rollout(&self, verb: &str, workload: &ObjectKey) -> String {
        let ObjectKey { kind, namespace, name } = workload;
        let kind = kind.name().to_ascii_lowercase();
        format!("{} rollout {verb} {kind}/{} --namespace {}", self.0, shell_word(name), shell_word(namespace))
    }

    /// Rolls a workload back to this revision, or, if it is 0, to the one before the current one.
    pub(super) fn undo(&self, workload: &ObjectKey, revision: i64) -> String {
        let to = if revision == 0 { String::new() } else { format!(" --to-revision={revision}") };
        format!("{}{to}", self.rollout("undo", workload))
    }

    pub(super) fn patch(&self, workload: &ObjectKey, patch: &Value) -> String {
        let ObjectKey { kind, namespace, name } = workload;
        let (kind, patch) = (kind.name().to_ascii_lowercase(), shell_word(&format!("{patch}")));
        format!("{} patch {kind} {} --namespace {} --patch {patch}", self.0, shell_word(name), shell_word(namespace))
    }

    pub(super) fn scale(&self, workload: &ObjectKey, replicas: i32) -> String {
        let ObjectKey { kind, namespace, name } = workload;
        let kind = kind.name().to_ascii_lowercase();
        format!(
            "{} scale {kind}/{} --namespace {} --replicas {replicas}",
            self.0,
            shell_word(name),
            shell_word(namespace)
        )
    }

    /// Deletes a workload, but not its pods. After a space, kubectl would read `orphan` as another name, and delete the pods.
    pub(super) fn delete_orphaning(&self, workload: &ObjectKey) -> String {
        let ObjectKey { kind, namespace, name } = workload;
        let kind = kind.name().to_ascii_lowercase();
        format!("{} delete {kind} {} --namespace {} --cascade=orphan", self.0, shell_word(name), shell_word(namespace))
    }

    pub(super) fn delete_pods(&self, namespace: &str, pods: &[&str]) -> String {
        let pods = pods.iter().map(|pod| shell_word(pod)).collect::<Vec<_>>().join(" ");
        format!("{} delete pod {pods} --namespace {}", self.0, shell_word(namespace))
    }

    /// Removes some finalizers of a pod, by their index. If others have changed in the meantime, the API server refuses it.
    pub(super) fn remove_finalizers<'a>(
        &self,
        namespace: &str,
        pod: &str,
        finalizers: impl DoubleEndedIterator<Item = (usize, &'a str)>,
    ) -> String {
        // From the last one on, an index stays what it is.
        let operations = finalizers.rev().flat_map(|(index, finalizer)| {
            let path = format!("/metadata/finalizers/{index}");
            [json!({ "op": "test", "path": path, "value": finalizer }), json!({ "op": "remove", "path": path })]
        });
        let patch = shell_word(&format!("{}", Value::Array(operations.collect())));
        let (pod, namespace) = (shell_word(pod), shell_word(namespace));
        format!("{} patch pod {pod} --namespace {namespace} --type json --patch {patch}", self.0)
    }

    /// Deletes pods without waiting for their kubelets.
    pub(super) fn delete_pods_at_once(&self, namespace: &str, pods: &[&str]) -> String {
        format!("{} --grace-period=0 --force", self.delete_pods(namespace, pods))
    }

    /// Reads what a rollout consists of.
    pub(super) fn get_pods(&self, workload: &ObjectKey) -> String {
        // A kind that creates its pods itself keeps its templates in ControllerRevisions.
        let created = workload.kind.creates().filter(|created| *created != Kind::Pod);
        let revisions = created.unwrap_or(Kind::ControllerRevision).resource();
        let is_on_each_node = workload.kind.workload().is_some_and(|facts| matches!(facts.runs, Runs::OnEachNode));
        let nodes = if is_on_each_node { ",nodes" } else { "" };
        let (kind, namespace) = (workload.kind.resource(), shell_word(&workload.namespace));
        format!("{} get {kind},{revisions},pods{nodes} --namespace {namespace} --output json", self.0)
    }

    pub(super) fn describe_pod(&self, namespace: &str, pod: &str) -> String {
        format!("{} describe pod {} --namespace {}", self.0, shell_word(pod), shell_word(namespace))
    }

    pub(super) fn describe_claim(&self, claim: &ObjectKey) -> String {
        let ObjectKey { namespace, name, .. } = claim;
        format!("{} describe persistentvolumeclaim {} --namespace {}", self.0, shell_word(name), shell_word(namespace))
    }

    /// Lists objects of a kind, or one of them.
    pub(super) fn get(&self, what: &str, namespace: &str) -> String {
        format!("{} get {what} --namespace {}", self.0, shell_word(namespace))
    }

    pub(super) fn describe_node(&self, node: &str) -> String {
        format!("{} describe node {}", self.0, shell_word(node))
    }

    /// The logs of a container.
    pub(super) fn logs(&self, namespace: &str, pod: &str, container: &str) -> String {
        format!(
            "{} logs {} --container {} --namespace {}",
            self.0,
            shell_word(pod),
            shell_word(container),
            shell_word(namespace)
        )
    }

    /// Creates a Job that has failed again: from its CronJob, or from its manifest.
    pub(super) fn create_job_again(&self, job: &Job) -> String {
        let (name, namespace) = (&*job.metadata.name, shell_word(&job.metadata.namespace));
        match job.metadata.controller_key(Kind::CronJob) {
            Some(cron_job) => {
                // A Job's name has at most 63 characters.
                let name: String = name.chars().take(57).collect();
                let (name, from) = (shell_word(&format!("{name}-again")), shell_word(&cron_job.name));
                format!("{} create job {name} --from=cronjob/{from} --namespace {namespace}", self.0)
            }
            None => format!("{} replace --force --filename FILE --namespace {namespace}", self.0),
        }
    }

    /// The logs of a Job's pod.
    pub(super) fn logs_of_job(&self, namespace: &str, job: &str) -> String {
        format!("{} logs job/{} --namespace {}", self.0, shell_word(job), shell_word(namespace))
    }

    /// The logs of a container's last run.
    pub(super) fn previous_logs(&self, namespace: &str, pod: &str, container: &str) -> String {
        let (pod, container, namespace) = (shell_word(pod), shell_word(container), shell_word(namespace));
        format!("{} logs {pod} --container {container} --previous --namespace {namespace}", self.0)
    }

    /// Raises a quota to what a rollout needs; none if that is unknown.
    pub(super) fn raise_quota(&self, quota: &RefusingQuota) -> Option<String> {
        let RefusingQuota { namespace, name, demand, .. } = quota;
        let needed = demand.exceeded.iter().map(|exceeded| (exceeded.resource.clone(), json!(exceeded.needed)));
        let hard: Map<String, Value> = needed.collect_tree();
        let patch = json!({ "spec": { "hard": hard } });
        let patch = shell_word(&format!("{patch}"));
        let command = format!(
            "{} patch resourcequota {} --namespace {} --patch {patch}",
            self.0,
            shell_word(name),
            shell_word(namespace)
        );
        (!demand.exceeded.is_empty()).then_some(command)
    }

    pub(super) fn uncordon(&self, node: &str) -> String {
        format!("{} uncordon {}", self.0, shell_word(node))
    }

    pub(super) fn delete_node(&self, node: &str) -> String {
        format!("{} delete node {}", self.0, shell_word(node))
    }
}
