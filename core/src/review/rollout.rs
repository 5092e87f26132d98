//! What a change does to the pods: its forecast, the quotas that have no room for it, the budgets that it passes by.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::cluster_reader::Cluster;
use super::forecast::Forecast;
use super::quota::{self, Demand, QuotaRoom};
use super::request::Request;
use super::settings::{Settings, ValidationAction};
use super::warnings::{Importance, Warnings};
use super::{disruption_budget, forecast};
use crate::Problem;
use crate::object::Kind;

/// Checks an object after defaulting. Returns the forecast's sentences.
pub(super) fn check(
    request: &Request<'_>,
    object: &Value,
    settings: &Settings,
    cluster: &mut Cluster<'_>,
    violations: &mut Vec<Problem>,
    warnings: &mut Warnings,
) -> Vec<String> {
    let checks_quota = settings.context && settings.quota != ValidationAction::Allow;
    let mut sentences = Vec::new();
    if !settings.forecast && !checks_quota {
        return sentences;
    }
    if settings.forecast
        && request.kind == Kind::Job
        && let Some(old) = request.old
    {
        sentences.extend(forecast::job_sentences(old, object));
    }
    let forecast = forecast::forecast(request, object, settings).unwrap_or_else(|problem| {
        cluster.note(format!("the rollout is not forecast: {problem}"));
        None
    });
    if settings.forecast
        && let Some(forecast) = &forecast
    {
        sentences.extend(forecast.sentences());
    }
    if checks_quota {
        for answer in quota_answers(request, object, forecast.as_ref(), cluster) {
            let sentence = format!("quota: {}", answer.text);
            match (answer.room, settings.quota) {
                (QuotaRoom::Never, ValidationAction::Deny) => {
                    let message = format!("Forbidden: {} (setting quota)", answer.text);
                    violations.push(Problem::new("spec", message));
                }
                // What fits is part of the forecast.
                (QuotaRoom::Enough, _) if !settings.forecast => {}
                _ => sentences.push(sentence),
            }
        }
    }
    if settings.forecast && forecast.is_some() {
        // A quota that can't be judged has a sentence of its own.
        let unread = if checks_quota { "nodes" } else { "quotas (settings context, quota), nodes" };
        sentences.push(format!("not judged: {unread}"));
    }
    // A refused request gets no forecast, so nothing more is read for it.
    if settings.forecast
        && settings.context
        && violations.is_empty()
        && let Some(forecast) = &forecast
    {
        let budgets = disruption_budget::sentences(object, request.namespace, forecast.this.available, cluster);
        sentences.extend(budgets);
    }
    warnings.push_all(Importance::Forecast, sentences.iter().cloned());
    sentences
}

/// The result for each quota. If one has too little room, the last result says whether all have enough under the other policy.
fn quota_answers(
    request: &Request<'_>,
    object: &Value,
    forecast: Option<&Forecast>,
    cluster: &mut Cluster<'_>,
) -> Vec<quota::QuotaAnswer> {
    let demand = match forecast {
        Some(forecast) => Demand::of_rollout(request, object, forecast, &forecast.this),
        None => Demand::of_growth(request, object),
    };
    let Some((demand, quotas)) = demand.and_then(|demand| Some((demand, quota::read(request.namespace, cluster)?)))
    else {
        return Vec::new();
    };
    let mut answers = quota::answers(&demand, &quotas, cluster);
    let is_enough = |answers: &[quota::QuotaAnswer]| answers.iter().all(|answer| answer.room == QuotaRoom::Enough);
    if let Some(forecast) = forecast.filter(|_| !is_enough(&answers))
        && let Some((other, that)) = &forecast.that
        && let Some(demand) = Demand::of_rollout(request, object, forecast, that)
        && is_enough(&quota::answers(&demand, &quotas, cluster))
    {
        let text = format!("fits with {}", other.as_str());
        answers.push(quota::QuotaAnswer { room: QuotaRoom::Enough, text });
    }
    answers
}
