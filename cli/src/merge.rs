//! `changeover merge`

use changeover_core::prediction::{merge_shards, merge_verdicts};
use clap::Args;
use serde_json::{Map, Value, json};

use crate::Exit;
use crate::failure::Failure;
use crate::host::{Host, PathContent};
use crate::options::FileOptions;
use crate::output;

/// Merges the predictions of all shards into the one of the whole fleet.
///
/// The files are what `predict --shard` printed for each shard. The result, the findings and the exit code are those of `predict`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  Predict a fleet in four parts, and merge the results:
    for shard in 0 1 2 3; do
      changeover predict old/ new/ --mode exact --shard $shard/4 -o json > results/$shard.json
    done
    changeover merge results/ > report.json

Exit codes: 0 without findings, 1 with findings, 2 for wrong usage, such as a missing shard.")]
pub struct Arguments {
    /// The results of all shards, in any order: files, or folders with .json files
    #[arg(value_name = "PATH", required_unless_present = "files")]
    pub paths: Vec<String>,
    #[command(flatten)]
    pub files: FileOptions,
}

pub fn run(host: &mut dyn Host, arguments: &Arguments) -> Result<Exit, Failure> {
    let paths = arguments.files.with(&arguments.paths);
    let mut reports = Vec::new();
    for path in &paths {
        read(host, path, &mut reports)?;
    }
    let of_all =
        |key: &str| -> Vec<Value> { reports.iter().filter_map(|(_, report)| report.get(key)).cloned().collect() };
    let predictions: Vec<Value> =
        reports.iter().map(|(_, report)| report.get("prediction").cloned().unwrap_or_default()).collect();
    let prediction = merge_shards(&predictions).map_err(|problem| {
        let (index, below) =
            problem.path.strip_prefix('[').and_then(|path| path.split_once("].")).unwrap_or(("", &problem.path));
        let file = index.parse::<usize>().ok().and_then(|index| reports.get(index));
        match file {
            Some((file, _)) => Failure::new(format!("{file}: prediction.{below}: {}", problem.message)),
            None => Failure::new(format!("{}: {}", paths.join(" "), problem.message)),
        }
    })?;
    let verdicts = of_all("verdict");
    let verdict = merge_verdicts(&verdicts.iter().collect::<Vec<_>>(), &prediction);
    let findings = findings(&of_all("findings"), &verdict);
    let fails = findings.iter().any(|finding| finding.get("fails") == Some(&Value::Bool(true)));
    let mut report = Map::new();
    report.insert("version".to_owned(), of_all("version").into_iter().next().unwrap_or_default());
    report.insert("findings".to_owned(), findings.into());
    report.insert("leftOut".to_owned(), distinct(&of_all("leftOut")).into());
    report.insert("prediction".to_owned(), prediction);
    report.insert("verdict".to_owned(), verdict);
    host.print(&output::json::verdict_first(report.into()));
    Ok(if fails { Exit::Findings } else { Exit::Clean })
}

/// Reads the results in a file, or in the files of a folder, each with its path.
fn read(host: &mut dyn Host, path: &str, reports: &mut Vec<(String, Value)>) -> Result<(), Failure> {
    match host.read(path).map_err(|error| Failure::new(format!("{path}: {error}")))? {
        PathContent::File(bytes) => {
            let report = serde_json::from_slice(&bytes)
                .map_err(|error| Failure::new(format!("{path}: Invalid value: must be JSON: {error}")))?;
            reports.push((path.to_owned(), report));
        }
        PathContent::Folder(mut entries) => {
            entries.sort();
            let files = entries.iter().filter(|entry| !entry.is_folder && entry.name.ends_with(".json"));
            for file in files {
                read(host, &format!("{}/{}", path.trim_end_matches('/'), file.name), reports)?;
            }
        }
    }
    Ok(())
}

/// The items of several lists, each once.
fn distinct(lists: &[Value]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for item in lists.iter().filter_map(Value::as_array).flatten() {
        if !all.contains(item) {
            all.push(item.clone());
        }
    }
    all
}

/// The findings of all shards, in the order of `predict`. That a shard has no limit or nothing to judge says nothing of the fleet.
fn findings(lists: &[Value], verdict: &Value) -> Vec<Value> {
    const ORDER: [&str; 6] = ["refused", "quota", "pending", "incomplete", "worst", "notJudged"];
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let reasons = verdict.get("reasons").and_then(Value::as_array).into_iter().flatten();
    let is_without_question = reasons.into_iter().any(|reason| {
        reason.get("kind") == Some(&json!("noLimit")) || reason.get("kind") == Some(&json!("noWorkload"))
    });
    let mut findings = distinct(lists);
    findings.retain(|finding| is_without_question || text(finding, "condition") != "noLimit");
    let conditions: Vec<String> = findings.iter().map(|finding| text(finding, "condition")).collect();
    findings.sort_by_cached_key(|finding| {
        let condition = text(finding, "condition");
        let known = ORDER.iter().position(|known| *known == condition).unwrap_or(ORDER.len());
        let first = conditions.iter().position(|other| *other == condition);
        // Those about the documents are in the order of the documents.
        let object = text(finding, "object");
        let mut parts = object.split('/').map(str::to_owned);
        let kind =
            parts.next().map(|kind| ["ResourceQuota", "Deployment", "Job"].iter().position(|known| *known == kind));
        let is_about_documents = matches!(condition.as_str(), "refused" | "notJudged" | "noLimit");
        (known, first, (!is_about_documents).then(|| (kind, parts.collect::<Vec<_>>())))
    });
    findings
}
