//! Templates whose pods may find a node where those of the current one find none.

use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::object::PodTemplateSpec;
use crate::object::unstructured::{at, list};
use crate::workload::replica_set::POD_TEMPLATE_HASH;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// The highest weight of a preference.
const MAX_WEIGHT: i32 = 100;

/// The change of a workload whose pods then only prefer to keep away from others; none if nothing is required of them.
pub(super) fn only_prefers_anti_affinity(template: &PodTemplateSpec) -> Option<Value> {
    let affinity = template.spec.fields.unknown.get("affinity")?;
    let rules = at(affinity, &["podAntiAffinity"])?;
    let required = list(rules, REQUIRED);
    if required.is_empty() {
        return None;
    }
    let as_preferred = required.iter().map(|term| json!({ "weight": MAX_WEIGHT, "podAffinityTerm": term }));
    let preferred: Vec<Value> = list(rules, PREFERRED).iter().cloned().chain(as_preferred).collect();
    let rules = json!({ (REQUIRED): [], (PREFERRED): preferred });
    Some(of_spec(&json!({ "affinity": { "podAntiAffinity": rules } })))
}

/// The change of a workload whose topology spread constraints then count the pods of each revision alone; none if they do so already.
pub(super) fn spreads_each_revision(template: &PodTemplateSpec) -> Option<Value> {
    let constraints = template.spec.fields.unknown.get("topologySpreadConstraints")?.as_array()?;
    let counts_one = |constraint: &Value| list(constraint, "matchLabelKeys").iter().any(|key| key == POD_TEMPLATE_HASH);
    if constraints.iter().all(counts_one) {
        return None;
    }
    let of_revision = |constraint: &Value| {
        let mut constraint = constraint.clone();
        let keys = list(&constraint, "matchLabelKeys").iter().filter(|key| *key != POD_TEMPLATE_HASH).cloned();
        let keys: Vec<Value> = keys.chain([Value::from(POD_TEMPLATE_HASH)]).collect();
        if let Some(fields) = constraint.as_object_mut() {
            fields.insert("matchLabelKeys".into(), keys.into());
        }
        constraint
    };
    let constraints: Vec<Value> = constraints.iter().map(of_revision).collect();
    Some(of_spec(&json!({ "topologySpreadConstraints": constraints })))
}

fn of_spec(spec: &Value) -> Value {
    json!({ "spec": { "template": { "spec": spec } } })
}
