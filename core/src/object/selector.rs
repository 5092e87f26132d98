use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::Strings;
use super::unstructured::{list, map, string};
use crate::go::quoted;
use crate::json::{FromJson, ToJson};

/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/types.go LabelSelector`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelector {
    /// All of these labels, with these values.
    #[json(omitempty)]
    pub match_labels: Strings,
    /// And all of these requirements.
    #[json(omitempty)]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/types.go LabelSelectorRequirement`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct LabelSelectorRequirement {
    /// The label.
    pub key: String,
    /// In, NotIn, Exists or DoesNotExist.
    pub operator: String,
    /// For In and NotIn.
    #[serde(default)]
    #[json(omitempty)]
    pub values: Vec<String>,
}

/// A selector that can be asked: [`LabelSelector::to_selector`] makes it.
#[derive(Clone, Copy, Debug)]
pub struct Selector<'a>(Option<&'a LabelSelector>);

impl LabelSelector {
    /// Reads a selector as Go does: what is null, or no text, is empty.
    pub(crate) fn of_value(selector: &Value) -> Self {
        let requirement = |given| LabelSelectorRequirement {
            key: string(given, "key").into(),
            operator: string(given, "operator").into(),
            values: list(given, "values").iter().map(|value| value.as_str().unwrap_or_default().into()).collect(),
        };
        Self {
            match_labels: read_strings(map(selector, "matchLabels")),
            match_expressions: list(selector, "matchExpressions").iter().map(requirement).collect(),
        }
    }

    /// The selector that an optional one stands for: no selector selects nothing, an empty one everything.
    ///
    /// # Errors
    /// Upstream's error text, where an operator or its values are invalid.
    ///
    /// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector`
    pub fn to_selector(selector: Option<&Self>) -> Result<Selector<'_>, String> {
        for requirement in selector.iter().flat_map(|selector| &selector.match_expressions) {
            match requirement.operator.as_str() {
                "In" | "NotIn" if requirement.values.is_empty() => {
                    return Err(
                        "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty".into()
                    );
                }
                "Exists" | "DoesNotExist" if !requirement.values.is_empty() => {
                    return Err("values: Invalid value: values set must be empty for exists and does not exist".into());
                }
                "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
                other => return Err(alloc::format!("{} is not a valid label selector operator", quoted(other))),
            }
        }
        Ok(Selector(selector))
    }
}

impl Selector<'_> {
    /// Whether the selector takes everything.
    pub fn is_empty(self) -> bool {
        self.0.is_some_and(|selector| selector.match_labels.is_empty() && selector.match_expressions.is_empty())
    }

    /// Whether an object with these labels is selected.
    pub fn matches(self, labels: &Strings) -> bool {
        let Some(selector) = self.0 else { return false };
        selector.match_labels.iter().all(|(key, value)| labels.get(key) == Some(value))
            && selector.match_expressions.iter().all(|requirement| requirement.matches(labels))
    }
}

impl LabelSelectorRequirement {
    fn matches(&self, labels: &Strings) -> bool {
        let value = labels.get(&self.key);
        match self.operator.as_str() {
            "In" => value.is_some_and(|value| self.values.contains(value)),
            // A missing label is not in any set of values.
            "NotIn" => value.is_none_or(|value| !self.values.contains(value)),
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            _ => false,
        }
    }
}

/// A map of texts, as Go reads it: what is null, or no text, is empty.
pub(crate) fn read_strings(map: Option<&Map<String, Value>>) -> Strings {
    let mut strings = Strings::default();
    for (key, value) in map.into_iter().flatten() {
        strings.insert(key.clone(), value.as_str().unwrap_or_default().into());
    }
    strings
}
