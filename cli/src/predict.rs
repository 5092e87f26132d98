//! `changeover predict`

use core::ops::ControlFlow;

use changeover_core::Problem;
use changeover_core::prediction::{Assumptions, PredictOptions, Predicted, predict_watched};
use changeover_core::timeline::Series;

use crate::Exit;
use crate::arguments::{OutputFormat, PredictArguments};
use crate::cluster;
use crate::failure::Failure;
use crate::finding::{Finding, Workload};
use crate::host::Host;
use crate::manifests::{Manifest, kind, metadata, objects, read};
use crate::output;
use crate::style::Palette;

/// What is predicted from.
#[derive(Debug, Default)]
pub struct Inputs {
    pub old: Vec<Manifest>,
    pub new: Vec<Manifest>,
    pub quotas: Vec<Manifest>,
    pub nodes: Vec<Manifest>,
}

/// A prediction as it is printed.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    pub predicted: &'a Predicted,
    pub workloads: &'a [Workload<'a>],
    pub findings: &'a [Finding],
    pub inputs: &'a Inputs,
}

pub fn run(host: &mut dyn Host, arguments: &PredictArguments, palette: Palette) -> Result<Exit, Failure> {
    let (inputs, namespace) = read_inputs(host, arguments)?;
    let options = PredictOptions {
        quotas: objects(&inputs.quotas),
        nodes: objects(&inputs.nodes),
        namespace,
        assumptions: Assumptions {
            runs: arguments.runs,
            concurrent: arguments.concurrent,
            ..arguments.assumptions.to_assumptions(host.now())
        },
    };
    let (old, new) = (objects(&inputs.old), objects(&inputs.new));
    let shows_progress = host.terminals().error;
    let predicted = predict_watched(&old, &new, &options, &mut |done, of| {
        if shows_progress {
            let end = if done == of { "\r\u{1b}[K" } else { "" };
            host.print_error(&format!("\rrun {done} of {of}{end}"));
        }
        ControlFlow::Continue(())
    })
    .map_err(|problem| Failure::of_problem(&problem, |problem| inputs.locate(problem)))?;

    let series = Series::of_all(&predicted.today);
    // Both are in the order of namespaces and names.
    let workloads: Vec<Workload<'_>> = predicted
        .prediction
        .workloads
        .iter()
        .zip(&series)
        .map(|(prediction, (_, series))| Workload { prediction, series })
        .collect();
    let findings = arguments.fail_on.findings(&predicted.prediction, &workloads);
    let report = Report { predicted: &predicted, workloads: &workloads, findings: &findings, inputs: &inputs };
    let text = match arguments.output {
        OutputFormat::Text => output::text::predict(&report, palette),
        OutputFormat::Json => output::json::predict(&report),
        OutputFormat::Markdown => output::markdown::predict(&report),
        OutputFormat::Github => output::github::predict(&report),
        OutputFormat::Junit => output::junit::predict(&report),
    };
    host.print(&text);
    Ok(if findings.is_empty() { Exit::Clean } else { Exit::Findings })
}

fn read_inputs(host: &mut dyn Host, arguments: &PredictArguments) -> Result<(Inputs, Option<String>), Failure> {
    let mut inputs = Inputs::default();
    let mut namespace = arguments.cluster.namespace.clone();
    match (arguments.cluster.cluster, arguments.paths.as_slice()) {
        (false, [old, new]) => {
            inputs.old = read(host, old)?;
            inputs.new = read(host, new)?;
        }
        (false, [state]) => {
            inputs.old = read(host, state)?;
            if !inputs.old.iter().any(is_of_running_cluster) {
                return Err(Failure::new(format!(
                    "{state}: must hold a running cluster's objects (ReplicaSets and Pods with a uid) if it is alone: give OLD and NEW to compare manifests"
                )));
            }
        }
        (true, new @ ([_] | [])) => {
            if let [new] = new {
                inputs.new = read(host, new)?;
            }
            let current = cluster::current_namespace(host, &arguments.cluster)?;
            inputs.old = cluster::read_for(host, &arguments.cluster, &current, &inputs.new)?;
            namespace = Some(current);
        }
        (true, _) => return Err(Failure::new("--cluster takes the place of OLD: give only NEW")),
        (false, _) => {
            return Err(Failure::new(
                "give OLD and NEW, the state of a running cluster, or --cluster (see changeover predict --help)",
            ));
        }
    }
    for path in &arguments.quotas {
        inputs.quotas.extend(read(host, path)?);
    }
    if let Some(path) = &arguments.nodes {
        inputs.nodes = read(host, path)?;
    }
    Ok((inputs, namespace))
}

/// Whether only a running cluster has such an object.
fn is_of_running_cluster(manifest: &Manifest) -> bool {
    let object = &manifest.document.value;
    matches!(kind(object), "ReplicaSet" | "Pod") && !metadata(object, "uid").is_empty()
}

impl Inputs {
    /// The sentence of a problem, with the file and line or the flag that it is about.
    fn locate(&self, problem: &Problem) -> String {
        let Problem { path, message, .. } = problem;
        let lists = [("old", &self.old), ("new", &self.new), ("quotas", &self.quotas), ("nodes", &self.nodes)];
        for (name, manifests) in lists {
            if let Some((index, below)) = indexed(path, name)
                && let Some(manifest) = manifests.get(index)
            {
                return manifest.locate(below, message);
            }
        }
        match path.strip_prefix("assumptions.") {
            Some(field) => format!("--{}: {}", kebab(field), message.replace("assumptions.", "--")),
            None if path.is_empty() => message.clone(),
            None => format!("{path}: {message}"),
        }
    }

    /// The manifest of an object that is written as `Kind/namespace/name`: the newest one.
    pub fn manifest_of(&self, object: &str) -> Option<&Manifest> {
        let [its_kind, namespace, name] = *object.split('/').collect::<Vec<_>>() else { return None };
        let is_meant = |manifest: &&Manifest| {
            let value = &manifest.document.value;
            let own = metadata(value, "namespace");
            kind(value) == its_kind && metadata(value, "name") == name && (own.is_empty() || own == namespace)
        };
        self.new.iter().chain(&self.quotas).chain(&self.old).find(is_meant)
    }
}

/// The index of a path in a list, and the path below: `old[3].spec` is 3 and `spec`.
fn indexed<'a>(path: &'a str, list: &str) -> Option<(usize, &'a str)> {
    let (index, below) = path.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?;
    Some((index.parse().ok()?, below.strip_prefix('.').unwrap_or(below)))
}

/// The flag of a field: `readyAfter` is `ready-after`.
fn kebab(field: &str) -> String {
    let mut flag = String::new();
    for character in field.chars() {
        if character.is_ascii_uppercase() {
            flag.push('-');
        }
        flag.push(character.to_ascii_lowercase());
    }
    flag
}
