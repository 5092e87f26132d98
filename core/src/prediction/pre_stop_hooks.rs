//! The preStop hooks of the workloads' pods: how long they take, and for which ones that is unknown.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::given_objects::{GivenObject, name};
use super::options::Assumptions;
use crate::cluster::{PreStopHook, pre_stop_sleep};
use crate::object::PodTemplateSpec;
use crate::object::unstructured::at;

/// The preStop hooks of workloads, by the workloads' names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PreStopHooks {
    /// Those that only sleep: `web 15 s`.
    sleeping: BTreeSet<String>,
    /// The workloads with any other one.
    others: BTreeSet<String>,
}

impl PreStopHooks {
    /// The hooks in the pod templates of Deployments and Jobs.
    pub(super) fn of<'a>(sources: impl Iterator<Item = &'a GivenObject>) -> Self {
        let mut hooks = Self::default();
        for GivenObject { object, .. } in sources {
            let containers = at(object, &["spec", "template", "spec", "containers"]).and_then(Value::as_array);
            let is_owned = at(object, &["metadata", "ownerReferences"]).is_some();
            for container in containers.into_iter().flatten().filter(|_| !is_owned) {
                match container.get("lifecycle").and_then(PreStopHook::of) {
                    Some(PreStopHook::Sleep(sleep)) => {
                        hooks.sleeping.insert(format!("{} {}", name(object), sleep.exactly_in_words()))
                    }
                    Some(PreStopHook::Other) => hooks.others.insert(String::from(name(object))),
                    None => continue,
                };
            }
        }
        hooks
    }

    /// What is assumed of them, as sentences after others; empty without hooks.
    pub(super) fn sentence(&self, assumptions: &Assumptions) -> String {
        let Self { sleeping, others } = self;
        if assumptions.stop_after.is_none() {
            let has_hooks = !sleeping.is_empty() || !others.is_empty();
            return String::from(if has_hooks { " A pod's grace period includes its preStop hook." } else { "" });
        }
        let listed = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let sleeping = match sleeping.is_empty() {
            true => String::new(),
            false => format!(" The time to stop begins after preStop hooks that only sleep ({}).", listed(sleeping)),
        };
        let others = match others.is_empty() {
            true => String::new(),
            false => {
                format!(" It is unknown how long other preStop hooks take: no time is assumed ({}).", listed(others))
            }
        };
        format!("{sleeping}{others}")
    }
}

/// How long the preStop hook of a template's pods takes at most, in nanoseconds, beside the time to stop that is assumed.
pub(super) fn pre_stop_time(template: &PodTemplateSpec, assumptions: &Assumptions) -> i64 {
    // Then the assumed time to stop includes it.
    if assumptions.kubelet.last().is_some_and(|timing| timing.pre_stop.is_some()) {
        return 0;
    }
    template.spec.fields.containers.iter().filter_map(pre_stop_sleep).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scenario::Duration;

    fn source(name: &str, hooks: &[Value]) -> GivenObject {
        let containers: Vec<Value> = hooks.iter().map(|hook| json!({ "lifecycle": { "preStop": hook } })).collect();
        let spec = json!({ "template": { "spec": { "containers": containers } } });
        let object = json!({ "kind": "Deployment", "metadata": { "name": name }, "spec": spec });
        GivenObject { object, path: String::new() }
    }

    #[test]
    fn hooks_that_sleep_and_others_are_told_apart() {
        let sleep = json!({ "exec": { "command": ["sleep", "15"] } });
        let other = json!({ "exec": { "command": ["/wait-shutdown"] } });
        let stop_after = Assumptions { stop_after: Some(Duration::seconds(5)), ..Assumptions::default() };
        for (hooks, assumptions, expected) in [
            (Vec::new(), &Assumptions::default(), ""),
            (Vec::new(), &stop_after, ""),
            (Vec::from([sleep.clone()]), &Assumptions::default(), " A pod's grace period includes its preStop hook."),
            (
                Vec::from([sleep.clone()]),
                &stop_after,
                " The time to stop begins after preStop hooks that only sleep (web 15 s).",
            ),
            (
                Vec::from([sleep, other]),
                &stop_after,
                " The time to stop begins after preStop hooks that only sleep (web 15 s). It is unknown how long other \
                 preStop hooks take: no time is assumed (web).",
            ),
        ] {
            let sources = [source("web", &hooks), source("web", &hooks)];
            assert_eq!(PreStopHooks::of(sources.iter()).sentence(assumptions), expected, "{hooks:?}");
        }
    }
}
