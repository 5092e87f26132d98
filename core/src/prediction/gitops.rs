//! Annotations with which people tell Helm, Argo CD and Flux what to do with an object.

use serde_json::Value;

use crate::object::unstructured::at;

/// The annotation of a manifest that `helm upgrade` does not apply with the others.
pub(super) const HELM_HOOK: &str = "helm.sh/hook";

/// The annotation of a manifest that Argo CD does not apply with the others.
pub(super) const ARGO_HOOK: &str = "argocd.argoproj.io/hook";

/// The options of Argo CD, separated by commas.
pub(super) const SYNC_OPTIONS: &str = "argocd.argoproj.io/sync-options";

/// An annotation of an object; empty without one.
pub(super) fn annotation<'a>(object: &'a Value, key: &str) -> &'a str {
    at(object, &["metadata", "annotations", key]).and_then(Value::as_str).unwrap_or_default()
}

fn has_sync_option(object: &Value, option: &str) -> bool {
    annotation(object, SYNC_OPTIONS).split(',').any(|it| it.trim() == option)
}

/// The tool that applies an object from manifests, by the marks that it leaves.
#[cfg(feature = "explain")]
pub(super) fn manager(object: &Value) -> Option<&'static str> {
    let label = |key: &str| at(object, &["metadata", "labels", key]).and_then(Value::as_str).unwrap_or_default();
    let is_of_argo = !annotation(object, "argocd.argoproj.io/tracking-id").is_empty()
        || !label("argocd.argoproj.io/instance").is_empty();
    let is_of_flux =
        !label("kustomize.toolkit.fluxcd.io/name").is_empty() || !label("helm.toolkit.fluxcd.io/name").is_empty();
    if is_of_argo {
        Some("Argo CD")
    } else if is_of_flux {
        Some("Flux")
    } else {
        (label("app.kubernetes.io/managed-by") == "Helm").then_some("Helm")
    }
}

/// The Helm release of an object, with its namespace.
#[cfg(feature = "explain")]
pub(super) fn release(object: &Value) -> Option<(&str, &str)> {
    let [name, namespace] =
        ["meta.helm.sh/release-name", "meta.helm.sh/release-namespace"].map(|key| annotation(object, key));
    (!name.is_empty() && !namespace.is_empty()).then_some((name, namespace))
}

/// Whether Helm or Argo CD runs a hook to its end before it applies the rest of its application.
pub(super) fn runs_first(hook: &Value) -> bool {
    let times = [HELM_HOOK, ARGO_HOOK].map(|key| annotation(hook, key));
    let mut times = times.iter().flat_map(|times| times.split(','));
    times.any(|time| ["pre-install", "pre-upgrade", "PreSync"].contains(&time.trim()))
}

/// Whether Argo CD runs a hook once the rest of its application is healthy. Helm waits for the rest only with `--wait`.
pub(super) fn runs_last(hook: &Value) -> bool {
    let mut times = annotation(hook, ARGO_HOOK).split(',').map(str::trim).peekable();
    times.peek().is_some_and(|first| !first.is_empty()) && times.all(|time| ["PostSync", "SyncFail"].contains(&time))
}

/// Whether Helm runs a hook after it has sent the rest of its release.
pub(super) fn runs_beside(hook: &Value) -> bool {
    let mut times = annotation(hook, HELM_HOOK).split(',').map(str::trim);
    times.any(|time| ["post-install", "post-upgrade"].contains(&time)) && !runs_first(hook)
}

/// The application of an object, as charts label what they install; empty without that label.
pub(super) fn instance(object: &Value) -> &str {
    at(object, &["metadata", "labels", "app.kubernetes.io/instance"]).and_then(Value::as_str).unwrap_or_default()
}

/// Whether Argo CD or Flux replaces an object whose immutable fields change.
pub(super) fn is_forced(object: &Value) -> bool {
    has_sync_option(object, "Force=true")
        || annotation(object, "kustomize.toolkit.fluxcd.io/force").eq_ignore_ascii_case("enabled")
}

/// Whether Argo CD deletes an object and creates it again with each sync.
pub(super) fn is_replaced(object: &Value) -> bool {
    has_sync_option(object, "Force=true") && has_sync_option(object, "Replace=true")
}

/// Whether Helm, Argo CD or Flux keeps an object that is no longer in the manifests.
pub(super) fn is_never_pruned(object: &Value) -> bool {
    annotation(object, "helm.sh/resource-policy") == "keep"
        || has_sync_option(object, "Prune=false")
        || annotation(object, "kustomize.toolkit.fluxcd.io/prune").eq_ignore_ascii_case("disabled")
}
