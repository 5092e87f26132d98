//! Writes the JSON Schemas of what the package reads and writes into a folder.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use changeover_cli::reports::{PredictReport, ReviewReport, ValidateReport};
use changeover_core::cluster::Changes;
use changeover_core::explain::RankReport;
use changeover_core::prediction::{Advice, AdviseOptions, Constraints, ExplainReport, PredictOptions, Prediction};
use changeover_core::scenario::{Action, Scenario};
use changeover_core::timeline::{FrameOut, JobPointOut, PointOut, SummaryOut, Totals};
use changeover_core::workload::job::JobTotals;
use changeover_npm::{
    CHANGES, OPTIONS, RankForOptions, RankOptions, SettingsCheck, TimelineOut, ValidateOptions, Validated, Verdict,
};
use schemars::{Schema, schema_for};
use serde_json::{Map, Value};

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: changeover-schema FOLDER");
        return ExitCode::FAILURE;
    };
    match write_schemas(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", Path::new(&folder).display());
            ExitCode::FAILURE
        }
    }
}

fn write_schemas(folder: &Path) -> std::io::Result<()> {
    let schemas = [
        ("scenario", drop_nulls(schema_for!(Scenario))),
        ("action", drop_nulls(schema_for!(Action))),
        ("changes", part_of_changes("Changes", "The changes of a Deployment, Job or CronJob.", &CHANGES)),
        (
            "scenario-options",
            part_of_changes(
                "ScenarioOptions",
                "The cluster in which changes happen, and how it is simulated.",
                &OPTIONS,
            ),
        ),
        ("rank-options", drop_nulls(schema_for!(RankOptions))),
        ("rank-for-options", drop_nulls(schema_for!(RankForOptions))),
        ("predict-options", drop_nulls(schema_for!(PredictOptions))),
        ("prediction", drop_nulls(schema_for!(Prediction))),
        ("constraints", drop_nulls(schema_for!(Constraints))),
        ("advise-options", drop_nulls(schema_for!(AdviseOptions))),
        ("advice", drop_nulls(schema_for!(Advice))),
        ("frame", drop_nulls(schema_for!(FrameOut))),
        ("frame-summary", drop_nulls(schema_for!(SummaryOut))),
        ("series-point", drop_nulls(schema_for!(PointOut))),
        ("totals", drop_nulls(schema_for!(Totals))),
        ("job-series-point", drop_nulls(schema_for!(JobPointOut))),
        ("job-totals", drop_nulls(schema_for!(JobTotals))),
        ("timeline", drop_nulls(schema_for!(TimelineOut<'static>))),
        ("validate-options", drop_nulls(schema_for!(ValidateOptions))),
        ("validated", drop_nulls(schema_for!(Validated))),
        ("verdict", drop_nulls(schema_for!(Verdict))),
        ("settings-check", drop_nulls(schema_for!(SettingsCheck))),
        ("predict-report", drop_nulls(schema_for!(PredictReport))),
        ("explain-report", drop_nulls(schema_for!(ExplainReport))),
        ("rank-report", drop_nulls(schema_for!(RankReport))),
        ("validate-report", drop_nulls(schema_for!(ValidateReport))),
        ("review-report", drop_nulls(schema_for!(ReviewReport))),
    ];
    for (name, schema) in schemas {
        let mut text = serde_json::to_string_pretty(&schema)?;
        text.push('\n');
        std::fs::write(folder.join(format!("{name}.schema.json")), text)?;
    }
    Ok(())
}

/// The schema of some fields of the core's changes, which the package takes in two arguments.
fn part_of_changes(title: &str, description: &str, fields: &[&str]) -> Schema {
    let mut schema = drop_nulls(schema_for!(Changes));
    let map = schema.ensure_object();
    map.insert("title".into(), title.into());
    map.insert("description".into(), description.into());
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.retain(|name, _| fields.contains(&name.as_str()));
    }
    if let Some(Value::Object(mut definitions)) = map.remove("$defs") {
        let mut text = schema.as_value().to_string();
        let mut used = BTreeSet::new();
        let is_named = |text: &str, name: &str| text.contains(&format!("\"#/$defs/{name}\""));
        while let Some((name, definition)) =
            definitions.iter().find(|(name, _)| !used.contains(*name) && is_named(&text, name))
        {
            text.push_str(&definition.to_string());
            used.insert(name.clone());
        }
        definitions.retain(|name, _| used.contains(name));
        schema.ensure_object().insert("$defs".into(), definitions.into());
    }
    schema
}

/// What may be absent is left out, rather than null.
fn drop_nulls(mut schema: Schema) -> Schema {
    drop_nulls_of_properties(schema.ensure_object());
    schema
}

fn drop_nulls_of_properties(schema: &mut Map<String, Value>) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (_, property) in properties.iter_mut().filter(|(name, _)| !required.contains(&Value::from(name.as_str()))) {
            drop_null(property);
        }
    }
    if let Some(Value::Array(variants)) = schema.get_mut("oneOf") {
        variants.iter_mut().for_each(describe_key);
    }
    for value in schema.values_mut() {
        drop_nulls_below(value);
    }
}

/// Moves the description of a variant to its key, where editors and the generated types show it.
fn describe_key(variant: &mut Value) {
    let Some(variant) = variant.as_object_mut().filter(|variant| variant.contains_key("properties")) else { return };
    let Some(description) = variant.remove("description") else { return };
    let keys = variant.get_mut("properties").and_then(Value::as_object_mut);
    for key in keys.into_iter().flat_map(Map::values_mut) {
        if *key == true {
            *key = serde_json::json!({});
        }
        key["description"] = description.clone();
    }
}

fn drop_nulls_below(value: &mut Value) {
    match value {
        Value::Object(schema) => drop_nulls_of_properties(schema),
        Value::Array(values) => values.iter_mut().for_each(drop_nulls_below),
        _ => {}
    }
}

/// `["string", "null"]` and `anyOf: [..., null]`
fn drop_null(property: &mut Value) {
    let null = serde_json::json!({"type": "null"});
    for key in ["type", "anyOf"] {
        if let Some(Value::Array(choices)) = property.get_mut(key) {
            choices.retain(|choice| *choice != "null" && *choice != null);
        }
    }
}
