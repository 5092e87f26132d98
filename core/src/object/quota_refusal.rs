//! The API server's messages when a ResourceQuota refuses an object.

use alloc::format;
use alloc::string::String;

/// The start of the message if a pod doesn't specify a resource that the quota limits. The quota's name follows.
///
/// Upstream: `k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go CheckRequest`
pub(crate) const FAILED_QUOTA: &str = "failed quota: ";

/// The start of the message if the quota has no room for the object. The amounts follow.
///
/// Upstream: `k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go CheckRequest`
pub(crate) fn exceeded_quota(quota: &str) -> String {
    format!("exceeded quota: {quota},")
}

/// The start of the message if a pod doesn't specify a resource that the quota limits. What the pod must specify follows.
pub(crate) fn failed_quota(quota: &str) -> String {
    format!("{FAILED_QUOTA}{quota}:")
}

/// The end of the API server's message, from where it names this quota; none if the message has another reason.
pub(crate) fn refusal_by<'a>(quota: &str, message: &'a str) -> Option<&'a str> {
    let starts = [exceeded_quota(quota), failed_quota(quota)];
    let at = starts.iter().find_map(|start| message.find(start.as_str()))?;
    message.get(at..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_which_quota_refuses_the_pod() {
        let exceeded = exceeded_quota("few") + " requested: pods=1, used: pods=2, limited: pods=2";
        let failed = failed_quota("few") + " must specify requests.cpu for: app";
        for refusal in [exceeded, failed] {
            let message = format!("pods \"web-x\" is forbidden: {refusal}");
            assert_eq!(refusal_by("few", &message), Some(refusal.as_str()));
            assert_eq!([refusal_by("fewer", &message), refusal_by("fe", &message)], [None; 2]);
        }
        assert_eq!(refusal_by("few", "pods \"web-x\" is forbidden: violates PodSecurity \"few\""), None);
    }
}
