//! Reads of the running cluster, with the user's own kubectl.

use std::collections::BTreeSet;

use crate::arguments::ClusterOptions;
use crate::failure::Failure;
use crate::host::{Host, HostError};
use crate::manifests::{Manifest, metadata, parse_cluster};

/// What is read of each namespace.
const KINDS: &str = "deployments,jobs,replicasets,pods,resourcequotas,poddisruptionbudgets,persistentvolumeclaims";

/// The namespace that the user's flags or kubectl's current context name.
///
/// # Errors
/// When kubectl can't say.
pub fn current_namespace(host: &mut dyn Host, options: &ClusterOptions) -> Result<String, Failure> {
    if let Some(namespace) = &options.namespace {
        return Ok(namespace.clone());
    }
    let view = ["config", "view", "--minify", "--output", "jsonpath={..namespace}"];
    let printed =
        announced_kubectl(host, options, &view).map_err(|failure| failure.with_hint("name it with --namespace"))?;
    let namespace = String::from_utf8_lossy(&printed).trim().to_owned();
    Ok(if namespace.is_empty() { "default".to_owned() } else { namespace })
}

/// The objects of the namespaces that manifests are for: those that they name, and the current one.
///
/// # Errors
/// What kubectl says when it fails.
pub fn read_for(
    host: &mut dyn Host,
    options: &ClusterOptions,
    current: &str,
    manifests: &[Manifest],
) -> Result<Vec<Manifest>, Failure> {
    let named = manifests.iter().map(|manifest| metadata(&manifest.document.value, "namespace"));
    let mut namespaces: BTreeSet<&str> = named.filter(|namespace| !namespace.is_empty()).collect();
    let is_in_current = |manifest: &Manifest| metadata(&manifest.document.value, "namespace").is_empty();
    if manifests.is_empty() || manifests.iter().any(is_in_current) {
        namespaces.insert(current);
    }
    let mut objects = Vec::new();
    for namespace in namespaces {
        objects.extend(parse_cluster(&announced_kubectl(host, options, &get(namespace))?)?);
    }
    Ok(objects)
}

/// The objects of a namespace once more.
///
/// # Errors
/// What kubectl says when it fails.
pub fn read_again(host: &mut dyn Host, options: &ClusterOptions, namespace: &str) -> Result<Vec<Manifest>, Failure> {
    let arguments = arguments(options, &get(namespace));
    parse_cluster(&kubectl(host, &arguments)?)
}

const fn get(namespace: &str) -> [&str; 6] {
    ["get", KINDS, "--namespace", namespace, "--output", "json"]
}

fn arguments(options: &ClusterOptions, arguments: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (flag, value) in [("--kubeconfig", &options.kubeconfig), ("--context", &options.context)] {
        if let Some(value) = value {
            all.extend([flag.to_owned(), value.clone()]);
        }
    }
    all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    all
}

/// Runs kubectl, and says so.
fn announced_kubectl(
    host: &mut dyn Host,
    options: &ClusterOptions,
    arguments_of_command: &[&str],
) -> Result<Vec<u8>, Failure> {
    let arguments = arguments(options, arguments_of_command);
    host.print_error(&format!("Running: kubectl {}\n", arguments.join(" ")));
    kubectl(host, &arguments)
}

fn kubectl(host: &mut dyn Host, arguments: &[String]) -> Result<Vec<u8>, Failure> {
    let finished = host.run_kubectl(arguments).map_err(|error| match error {
        HostError::NotFound => Failure::new("kubectl: not found: --cluster needs it on the PATH"),
        other => Failure::new(format!("kubectl: {other}")),
    })?;
    if finished.success {
        return Ok(finished.stdout);
    }
    Err(Failure::new(format!("kubectl: {}", finished.stderr.trim_end())))
}
