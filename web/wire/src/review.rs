//! What the API server and the policy say about manifests.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{LargeText, LineProblem, LinkTexts, Problem};

/// Asks what the API server and the policy say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviewQuestion {
    /// The manifests, as YAML or JSON.
    pub manifests: LargeText,
    /// The objects that exist, which are also all that the policy can read in the cluster; may be empty.
    pub existing: LargeText,
    /// The policy's settings.
    pub settings: Value,
}

/// What they say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Review {
    /// Why a text can't be read; the objects that exist are what runs before the change.
    pub unreadable: Vec<LineProblem>,
    /// What is wrong with the policy's settings; then the policy says nothing.
    pub settings_problems: Vec<Problem>,
    /// The objects in the cluster that the policy can read: `1 Deployment, 2 ResourceQuotas`; empty if they are unknown. None if its
    /// settings don't make it read the cluster.
    #[serde(deserialize_with = "Option::deserialize")]
    pub in_cluster: Option<String>,
    /// Each object, in the order of the text.
    pub objects: Vec<ReviewedObject>,
    /// What a link contains of the texts; the objects that exist are the ones before. None if they can't be read.
    #[serde(deserialize_with = "Option::deserialize")]
    pub link_texts: Option<LinkTexts>,
}

/// What is said about one object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviewedObject {
    /// Its kind and name: `Deployment "web"`.
    pub name: String,
    /// Whether it replaces one that exists.
    pub is_update: bool,
    /// Whether it is of a kind that is looked at.
    pub is_known: bool,
    /// Its fields that Kubernetes does not know, with the API server's words about each, which are a warning to clients that don't
    /// ask for strict field validation.
    pub unknown: Vec<LineProblem>,
    /// Why the API server refuses it because of these fields from a client that asks for strict field validation, as kubectl does.
    #[serde(deserialize_with = "Option::deserialize")]
    pub strict_refusal: Option<String>,
    /// What the API server says about the first field of a wrong type. Ours is among the refusals.
    #[serde(deserialize_with = "Option::deserialize")]
    pub decoding_refusal: Option<String>,
    /// What the API server refuses, in its own words.
    pub refusals: Vec<LineProblem>,
    /// The API server's warnings.
    pub warnings: Vec<String>,
    /// What the API server writes into it: defaults, and what only the server sets.
    pub defaults: Vec<FieldChange>,
    /// How many of its fields were not checked.
    pub unchecked: usize,
    /// What the policy says; none with settings that it can't use.
    #[serde(deserialize_with = "Option::deserialize")]
    pub verdict: Option<Verdict>,
}

/// A field that is changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FieldChange {
    /// Its path.
    pub path: String,
    /// What stood there, as JSON; none if nothing did.
    #[serde(deserialize_with = "Option::deserialize")]
    pub before: Option<String>,
    /// What stands there now; none if nothing does.
    #[serde(deserialize_with = "Option::deserialize")]
    pub after: Option<String>,
}

/// What the policy says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Verdict {
    /// Whether the request may go on.
    pub is_allowed: bool,
    /// Why not: a line for each violation.
    pub violations: Vec<String>,
    /// The policy's warnings; its forecast is among them.
    pub warnings: Vec<String>,
    /// What it writes.
    pub writes: Vec<FieldChange>,
    /// The response of the AdmissionReview, as JSON.
    pub response: String,
}

/// A setting of the policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicySetting {
    /// Its path.
    pub path: String,
    /// What stands there.
    pub input: SettingInput,
    /// What counts where it is absent, in words.
    pub default: String,
}

/// How a setting is entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SettingInput {
    /// Yes or no.
    Switch,
    /// One of these words.
    Choice(Vec<String>),
    /// Some of these words.
    Choices(Vec<String>),
    /// A number or a text.
    Text,
    /// Several texts.
    Texts,
}
