//! What controllers do with pods.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::client::{Client, DeletionPropagation, Event, Write, record};
use super::{Decision, Error};
use crate::object::{ObjectKey, ObjectMeta, OwnerReference, Pod, PodStatus, PodTemplateSpec, Time, Unknown};

/// The pod that a controller creates from a template.
///
/// Upstream: `pkg/controller/controller_utils.go GetPodFromTemplate`
pub(crate) fn get_pod_from_template(template: &PodTemplateSpec, parent: &ObjectMeta, owner: OwnerReference) -> Pod {
    // One nothing for all: it may be many pods.
    let nothing: Rc<str> = "".into();
    Pod {
        metadata: Rc::new(ObjectMeta {
            name: nothing.clone(),
            generate_name: get_pods_prefix(&parent.name).into(),
            namespace: parent.namespace.clone(),
            uid: nothing.clone(),
            generation: 0,
            resource_version: nothing,
            creation_timestamp: None,
            deletion_timestamp: None,
            deletion_grace_period_seconds: None,
            labels: template.metadata.labels.clone(),
            annotations: template.metadata.annotations.clone(),
            owner_references: Rc::new(Vec::from([owner])),
            finalizers: template.metadata.finalizers.clone(),
            unknown: Unknown::default(),
        }),
        spec: template.spec.clone(),
        status: PodStatus::default(),
    }
}

/// The name and a dash. Upstream leaves the dash out where no pod's name can begin so, but its check cuts the dash off
/// first: every name that a controller may have passes it.
///
/// Upstream: `pkg/controller/controller_utils.go getPodsPrefix`
fn get_pods_prefix(controller: &str) -> String {
    [controller, "-"].concat()
}

/// Creates a pod, and tells in an event whether that worked. A namespace that is being deleted is no event.
///
/// # Errors
/// The API server's refusal, or a pod without labels.
///
/// Upstream: `pkg/controller/controller_utils.go RealPodControl.createPods`
pub(crate) fn create_pod(
    client: &mut dyn Client,
    about: &ObjectKey,
    pod: Pod,
    decision: Decision,
) -> Result<(), Error> {
    if pod.metadata.labels.is_empty() {
        return Err(Error::Other(String::from("unable to create pods, no labels")));
    }
    match client.write(Write::Create(pod.into()), decision) {
        Ok(created) => {
            let name = created.as_ref().map_or("", |created| &created.metadata().name);
            record(client, about, || Event::normal("SuccessfulCreate", &["Created pod: ", name].concat()));
            Ok(())
        }
        Err(error) => {
            if !error.is_namespace_terminating() {
                record(client, about, || Event::warning("FailedCreate", &alloc::format!("Error creating: {error}")));
            }
            Err(error.into())
        }
    }
}

/// Deletes a pod, and tells in an event whether that worked. That there is none is no event.
///
/// # Errors
/// The API server's refusal, in upstream's words unless there is no such pod.
///
/// Upstream: `pkg/controller/controller_utils.go RealPodControl.DeletePod`
pub(crate) fn delete_pod(
    client: &mut dyn Client,
    about: &ObjectKey,
    pod: &Pod,
    decision: Decision,
) -> Result<(), Error> {
    let delete = Write::Delete { key: pod.key(), propagation: DeletionPropagation::Background };
    match client.write(delete, decision) {
        Ok(_) => {
            let name = &pod.metadata.name;
            record(client, about, || Event::normal("SuccessfulDelete", &["Deleted pod: ", name].concat()));
            Ok(())
        }
        Err(error) if error.is_not_found() => Err(error.into()),
        Err(error) => {
            record(client, about, || Event::warning("FailedDelete", &alloc::format!("Error deleting: {error}")));
            Err(Error::Other(alloc::format!("unable to delete pods: {error}")))
        }
    }
}

/// Nanoseconds until a ready pod becomes available.
///
/// Upstream: `pkg/controller/controller_utils.go nextPodAvailabilityCheck`
pub(crate) fn next_pod_availability_check(pod: &Pod, min_ready_seconds: i32, now: Time) -> Option<i64> {
    if min_ready_seconds <= 0 {
        return None;
    }
    let since = pod.ready_condition()?.last_transition_time?;
    let next = since.plus_seconds(i64::from(min_ready_seconds)).since(now);
    (next > 0).then_some(next)
}
