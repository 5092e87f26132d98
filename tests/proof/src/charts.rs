//! Compares what `predict` says about a change between two versions of a chart with what happened on the real control plane.

use std::fs;
use std::path::Path;

use changeover_core::object::ObjectKey;
use changeover_core::prediction::{Assumptions, PredictOptions, Ranges, predict};
use changeover_core::scenario::{Delay, Duration};
use changeover_text::parse;
use serde_json::Value;

use crate::prediction::TOLERANCE;
use crate::recording::Recording;
use crate::rehearsal::{Figures, Rehearsal, WorkloadFigures};

/// A Deployment of a chart that is rolled out.
#[derive(Clone, Debug)]
pub struct ChartRollout {
    /// The chart's folder.
    pub chart: String,
    /// The old and the new version of the chart, as its labels say; empty if they don't.
    pub versions: [String; 2],
    /// The Deployment's name.
    pub deployment: String,
    /// The number of desired pods.
    pub replicas: i64,
    /// The predicted figures.
    pub predicted: Ranges,
    /// The recorded figures.
    pub recorded: Figures,
}

impl ChartRollout {
    /// Whether the pods were as predicted, and the rollout was complete within the predicted times; these may be
    /// 15 % outside.
    #[must_use]
    pub fn is_as_predicted(&self) -> bool {
        let Ranges { peak, lowest_available, complete, .. } = self.predicted;
        let Figures { peak: most, lowest_available: fewest, complete: completed, .. } = self.recorded;
        let is_complete = match (complete, completed) {
            (Some(range), Some(completed)) => {
                let slack = |end: i64| end.saturating_mul(TOLERANCE).div_euclid(100);
                let (least, most) = (range.least, range.most);
                (least.saturating_sub(slack(least))..=most.saturating_add(slack(most))).contains(&completed)
            }
            (range, completed) => range.is_none() && completed.is_none(),
        };
        (peak.least..=peak.most).contains(&i64::from(most))
            && (lowest_available.least..=lowest_available.most).contains(&i64::from(fewest))
            && is_complete
    }
}

/// The pods of `nodes.Defaults` in `tests/controlplane`: ready 1.55 s after their creation and stopped after 1.5 s, both up to
/// 30 % sooner or later. Each run has another seed.
fn assumptions() -> Assumptions {
    Assumptions {
        ready_after: Some(Delay::After(Duration(1_085_000_000))),
        stop_after: Some(Duration(1_050_000_000)),
        jitter: 86,
        runs: 100,
        ..Assumptions::default()
    }
}

/// The rollouts of a chart in `rendered`, with the recording of its first run in `recordings`.
///
/// # Errors
/// If a file can't be read, or the change can't be predicted.
pub fn rollouts(rendered: &Path, recordings: &Path) -> Result<Vec<ChartRollout>, String> {
    let chart = rendered.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let [old, new] = [manifests(&rendered.join("old.yaml"))?, manifests(&rendered.join("new.yaml"))?];
    let recording = Recording::read(&recordings.join(format!("{chart}-1.jsonl.gz")))?;
    let recorded = Rehearsal::new(&recording).recorded();
    let options = PredictOptions { assumptions: assumptions(), ..PredictOptions::default() };
    let predicted = predict(&old, &new, &options).map_err(|problem| format!("{chart}: {problem}"))?;
    let rollout = |key: &ObjectKey, recorded: &Figures| {
        let [before, after] =
            [&old, &new].map(|objects| objects.iter().find(|object| is_deployment(object, &key.name)));
        let workload = predicted.prediction.workloads.iter().find(|workload| *workload.name == *key.name)?;
        Some(ChartRollout {
            chart: chart.clone(),
            versions: [version(before?), version(after?)],
            deployment: key.name.to_string(),
            replicas: after?.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(1),
            predicted: workload.change.as_ref().and_then(|_| workload.ranges.clone())?,
            recorded: *recorded,
        })
    };
    let of_deployment = |(key, recorded): (&ObjectKey, &WorkloadFigures)| match recorded {
        WorkloadFigures::Rollout(recorded) => rollout(key, recorded),
        WorkloadFigures::Job(_) => None,
    };
    Ok(recorded.iter().filter_map(of_deployment).collect())
}

fn manifests(path: &Path) -> Result<Vec<Value>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let documents = parse(&text).map_err(|problem| format!("{}: {problem}", path.display()))?;
    Ok(documents.into_iter().map(|document| document.value).collect())
}

fn is_deployment(object: &Value, name: &str) -> bool {
    let has = |field: &str, value: &str| object.pointer(field).is_some_and(|found| found == value);
    has("/kind", "Deployment") && has("/metadata/name", name)
}

/// What `helm.sh/chart: web-1.2.3` says.
fn version(deployment: &Value) -> String {
    let label = deployment.pointer("/metadata/labels/helm.sh~1chart").and_then(Value::as_str);
    label.and_then(|label| label.rsplit_once('-')).map_or_else(String::new, |(_, version)| version.to_owned())
}

#[cfg(test)]
mod tests {
    use changeover_core::prediction::Range;
    use serde_json::json;

    use super::*;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn pods_are_as_predicted_and_times_nearly_so() {
        let range = |least, most| Range { least, most };
        let predicted = Ranges {
            runs: 2,
            peak: range(5, 6),
            resources: Vec::new(),
            lowest_available: range(3, 3),
            completed: 2,
            complete: Some(range(4 * SECOND, 6 * SECOND)),
            last_old_pod_gone: None,
        };
        let is_as_predicted = |peak, lowest_available, complete: Option<i64>| {
            let recorded = Figures { peak, lowest_available, complete, ..Figures::default() };
            let (chart, deployment, predicted) = ("web".to_owned(), "web".to_owned(), predicted.clone());
            ChartRollout { chart, versions: Default::default(), deployment, replicas: 3, predicted, recorded }
                .is_as_predicted()
        };
        assert!(is_as_predicted(5, 3, Some(4 * SECOND)));
        assert!(is_as_predicted(6, 3, Some(7 * SECOND - SECOND / 10)));
        assert!(!is_as_predicted(6, 3, Some(7 * SECOND)));
        assert!(!is_as_predicted(7, 3, Some(5 * SECOND)));
        assert!(!is_as_predicted(5, 2, Some(5 * SECOND)));
        assert!(!is_as_predicted(5, 3, None));
    }

    #[test]
    fn the_version_is_in_the_label() {
        let of = |label: &str| version(&json!({ "metadata": { "labels": { "helm.sh/chart": label } } }));
        assert_eq!((of("ingress-nginx-4.15.1").as_str(), of("web").as_str()), ("4.15.1", ""));
        assert_eq!(version(&json!({})), "");
    }
}
