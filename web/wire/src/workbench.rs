//! Questions to the workbench, which knows manifests, and its answers.

use serde::{Deserialize, Serialize};

use crate::{
    Advice, AdviceQuestion, Outlook, OutlookQuestion, PolicySetting, Problem, Review, ReviewQuestion, Runs,
    RunsQuestion,
};

/// A question and its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Asked {
    /// Grows with every question.
    pub id: u32,
    /// The question.
    pub question: Question,
}

/// What the page asks its workbench.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Question {
    /// Which objects a text has.
    Objects {
        /// One or several documents in YAML or JSON, or a `List`.
        text: String,
    },
    /// Which settings keep a wish.
    Advice(AdviceQuestion),
    /// What random delays make of a rollout.
    Runs(RunsQuestion),
    /// Where the rollouts of a running cluster stand.
    Outlook(OutlookQuestion),
    /// What the API server and the policy say about manifests.
    Review(ReviewQuestion),
    /// The settings of the policy.
    PolicySettings,
}

/// The reply to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reply {
    /// The number of the question.
    pub id: u32,
    /// The answer.
    pub answer: Answer,
}

/// What the workbench says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Answer {
    /// The objects of a text.
    Objects {
        /// In the order of the text.
        objects: Vec<ManifestObject>,
    },
    /// A text can't be read.
    Unreadable {
        /// Why.
        problem: LineProblem,
    },
    /// The question can't be answered.
    Refused(Problem),
    /// Settings that keep a wish.
    Advice(Box<Advice>),
    /// What came of some runs.
    Runs(Runs),
    /// Where the rollouts of a running cluster stand.
    Outlook(Outlook),
    /// What the API server and the policy say.
    Review(Review),
    /// The settings of the policy.
    PolicySettings(Vec<PolicySetting>),
}

/// An object of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ManifestObject {
    /// Its kind; empty if it has none.
    pub kind: String,
    /// Its namespace; empty if it names none.
    pub namespace: String,
    /// Its name; empty if it has none.
    pub name: String,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// Whether the simulated cluster takes it.
    pub is_simulated: bool,
}

impl core::fmt::Display for LineProblem {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { path, message, .. } = self;
        if path.is_empty() { f.write_str(message) } else { write!(f, "{path}: {message}") }
    }
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LineProblem {
    /// The line, from 1; none if it is about the whole text.
    #[serde(deserialize_with = "Option::deserialize")]
    pub line: Option<usize>,
    /// The path of the field; empty if it is about everything.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
}
