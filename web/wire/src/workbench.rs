//! Questions to the workbench, which knows manifests, and its answers.

use serde::{Deserialize, Serialize};

use crate::{
    Advice, AdviceQuestion, AskedRollout, KindFields, Manifests, Outlook, PolicySetting, Problem, Reading, Review,
    ReviewQuestion, Runs, RunsQuestion, Variation, WorstCases,
};

/// A question and its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Asked {
    /// Grows with every question.
    pub id: u32,
    /// The question.
    pub question: Question,
}

/// What the page asks its workbench.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Question {
    /// What manifests hold, and what is to be played.
    Read {
        /// The manifests.
        manifests: Manifests,
        /// The fields that the page has controls for, as the controls have them.
        fields: Vec<KindFields>,
        /// Whether the controls' values are first written into the text.
        write: bool,
        /// The lanes to play. With the answer come their scenarios, as JSON, or none if there is a problem.
        lanes: Vec<Variation>,
    },
    /// Which settings meet the constraints.
    Advice(AdviceQuestion),
    /// What random delays make of a rollout.
    Runs(RunsQuestion),
    /// What the worst of all orders of events does to a rollout.
    Worst(AskedRollout),
    /// Where the rollouts of a running cluster stand.
    Outlook(Manifests),
    /// What the API server and the policy say about manifests.
    Review(ReviewQuestion),
    /// The settings of the policy.
    PolicySettings,
}

/// The reply to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reply {
    /// The number of the question.
    pub id: u32,
    /// The answer.
    pub answer: Answer,
}

/// What the workbench says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Answer {
    /// What manifests hold.
    Read(Box<Reading>),
    /// The question can't be answered.
    Refused(Problem),
    /// Settings that meet the constraints.
    Advice(Box<Advice>),
    /// What came of some runs.
    Runs(Runs),
    /// The worst of all orders.
    Worst(WorstCases),
    /// Where the rollouts of a running cluster stand.
    Outlook(Outlook),
    /// What the API server and the policy say.
    Review(Review),
    /// The settings of the policy.
    PolicySettings(Vec<PolicySetting>),
}
