//! Questions to the workbench, which knows manifests, and its answers.

use std::mem;

use serde::{Deserialize, Serialize};

use crate::{
    Advice, AdviceQuestion, AskedRollout, Judgment, KindFields, LargeText, LinkTexts, Manifests, Outlook,
    PolicySetting, Problem, Reading, Review, ReviewQuestion, Runs, RunsQuestion, StandstillQuestion, Variation,
    WorstCases,
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

impl Asked {
    /// The message: JSON, and the user's manifests beside it, so that the page need not escape megabytes.
    ///
    /// # Errors
    /// If the question can't be written as JSON.
    pub fn into_message(mut self) -> serde_json::Result<(String, Vec<LargeText>)> {
        let texts = taken(self.question.texts_mut());
        Ok((serde_json::to_string(&self)?, texts))
    }

    /// Reads a message.
    ///
    /// # Errors
    /// If the JSON is not one of this type.
    pub fn from_message(json: &str, texts: impl IntoIterator<Item = LargeText>) -> serde_json::Result<Self> {
        let mut asked: Self = serde_json::from_str(json)?;
        put_back(asked.question.texts_mut(), texts);
        Ok(asked)
    }
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
    /// Whether a change fits what limits it.
    Judgment(Manifests),
    /// What the rollouts wait for that are never complete.
    Standstill(StandstillQuestion),
    /// What the API server and the policy say about manifests.
    Review(ReviewQuestion),
    /// The settings of the policy.
    PolicySettings,
}

impl Question {
    /// The user's manifests.
    fn texts_mut(&mut self) -> Vec<&mut LargeText> {
        match self {
            Self::Read { manifests, .. }
            | Self::Advice(AdviceQuestion { rollout: AskedRollout::Manifests(manifests), .. })
            | Self::Runs(RunsQuestion { rollout: AskedRollout::Manifests(manifests), .. })
            | Self::Worst(AskedRollout::Manifests(manifests))
            | Self::Standstill(StandstillQuestion { rollout: AskedRollout::Manifests(manifests), .. })
            | Self::Judgment(manifests)
            | Self::Outlook(manifests) => [&mut manifests.text].into_iter().chain(&mut manifests.before).collect(),
            Self::Review(ReviewQuestion { manifests, existing, .. }) => vec![manifests, existing],
            Self::Advice(_) | Self::Runs(_) | Self::Worst(_) | Self::Standstill(_) | Self::PolicySettings => Vec::new(),
        }
    }
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

impl Reply {
    /// The message: JSON, and the user's texts beside it, so that the page need not parse megabytes.
    ///
    /// # Errors
    /// If the answer can't be written as JSON.
    pub fn into_message(mut self) -> serde_json::Result<(String, Vec<LargeText>)> {
        let texts = taken(self.answer.texts_mut());
        Ok((serde_json::to_string(&self)?, texts))
    }

    /// Reads a message. Takes only its own texts.
    ///
    /// # Errors
    /// If the JSON is not one of this type.
    pub fn from_message(json: &str, texts: impl IntoIterator<Item = LargeText>) -> serde_json::Result<Self> {
        let mut reply: Self = serde_json::from_str(json)?;
        put_back(reply.answer.texts_mut(), texts);
        Ok(reply)
    }
}

/// What the workbench says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Answer {
    /// What manifests hold.
    Read(Box<Reading>),
    /// The question can't be answered: all that is wrong with it, at least one problem.
    Refused(Vec<Problem>),
    /// Settings that meet the constraints.
    Advice(Box<Advice>),
    /// What came of some runs.
    Runs(Runs),
    /// The worst of all orders.
    Worst(WorstCases),
    /// Where the rollouts of a cluster stand.
    Outlook(Outlook),
    /// Whether a change fits.
    Judgment(Judgment),
    /// What the API server and the policy say.
    Review(Review),
    /// The settings of the policy.
    PolicySettings(Vec<PolicySetting>),
}

impl Answer {
    /// The user's manifests with the fields of the question, and without secrets.
    fn texts_mut(&mut self) -> Vec<&mut LargeText> {
        let (rewritten, link_texts) = match self {
            Self::Read(reading) => (reading.rewritten.as_mut(), reading.link_texts.as_mut()),
            Self::Review(review) => (None, review.link_texts.as_mut()),
            _ => (None, None),
        };
        let texts = link_texts.into_iter().flat_map(|LinkTexts { text, before }| [text, before]);
        rewritten.into_iter().chain(texts.flatten()).collect()
    }
}

/// Takes texts out of a message.
fn taken(texts: Vec<&mut LargeText>) -> Vec<LargeText> {
    texts.into_iter().map(mem::take).collect()
}

/// Puts the texts back that were taken out of a message.
fn put_back(places: Vec<&mut LargeText>, texts: impl IntoIterator<Item = LargeText>) {
    for (place, text) in places.into_iter().zip(texts) {
        *place = text;
    }
}
