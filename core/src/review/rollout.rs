//! What a change does to the pods: its forecast, the quotas that have no room for it, the budgets that it passes by.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::cluster_reader::Cluster;
use super::forecast::{Forecast, ForecastFigures, PodLimits, rounded};
use super::quota::{self, Demand, QuotaAnswer, QuotaAnswers, QuotaRoom};
use super::request::Request;
use super::settings::{Limit, Settings, ValidationAction};
use super::warnings::{Importance, Warnings};
use super::{disruption_budget, forecast};
use crate::Problem;
use crate::object::{IntOrString, Kind, Rounding};

/// Checks an object after defaulting. Returns the forecast's sentences.
pub(super) fn check(
    request: &Request<'_>,
    object: &Value,
    settings: &Settings,
    cluster: &mut Cluster<'_>,
    violations: &mut Vec<Problem>,
    warnings: &mut Warnings,
) -> Vec<String> {
    let checks_quota = settings.checks_quota();
    let mut sentences = Vec::new();
    if !settings.plays_changes() {
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
    let assumed = forecast.as_ref().and_then(Forecast::assumed);
    if settings.forecast
        && let Some(forecast) = &forecast
    {
        sentences.extend(forecast.sentences());
        sentences.extend(assumed.clone());
    }
    if let Some(forecast) = forecast.as_ref().filter(|_| settings.rollout.has_limits()) {
        check_course(forecast, settings, violations, warnings);
    }
    if checks_quota && violations.is_empty() {
        let QuotaAnswers { answers, advice, is_timed } = judge_quotas(request, object, forecast.as_ref(), cluster);
        let assumed = assumed.filter(|_| is_timed);
        // A request that is refused gets no warnings.
        let reasons = [advice.clone(), assumed.clone()].into_iter().flatten();
        let reasons: String = reasons.flat_map(|reason| ["; ".into(), reason]).collect();
        for answer in answers {
            match (answer.room, settings.quota) {
                (QuotaRoom::Never, ValidationAction::Deny) => {
                    let message = format!("Forbidden: {}{reasons} (setting quota)", answer.text);
                    violations.push(Problem::new("spec", message));
                }
                // What fits is part of the forecast.
                (QuotaRoom::Enough, _) if !settings.forecast => {}
                _ => sentences.push(format!("quota: {}", answer.text)),
            }
        }
        sentences.extend(advice.map(|advice| format!("quota: {advice}")));
        if !settings.forecast {
            sentences.extend(assumed);
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

/// Checks the pods of a rollout against the limits of the settings. Bounds refuse nothing: a rollout that is stuck can be repaired.
fn check_course(forecast: &Forecast, settings: &Settings, violations: &mut Vec<Problem>, warnings: &mut Warnings) {
    let (limits, outcome) = (&settings.rollout, &forecast.this);
    if !forecast.is_rollout() {
        return;
    }
    let [before, after] = forecast.desired();
    let desired = before.max(after);
    let scaled =
        |limit: &Option<IntOrString>| limit.as_ref().and_then(|limit| limit.scaled(desired, Rounding::Up).ok());
    let spare = scaled(&limits.max_over_desired).unwrap_or(i64::MAX);
    let least = scaled(&limits.min_available).unwrap_or_default().min(before.min(after).into());
    let over = |outcome: &ForecastFigures| outcome.peak.saturating_sub(desired.into());
    let mut broken = Vec::new();
    if over(outcome) > spare {
        let text =
            format!("peak {} pods, {} over the desired {desired}: at most {spare} may be", outcome.peak, over(outcome));
        broken.push((text, "rollout.max_over_desired"));
    }
    if outcome.available < least {
        let text = format!("as few as {} pods available: at least {least} must be", outcome.available);
        broken.push((text, "rollout.min_available"));
    }
    if broken.is_empty() {
        return;
    }
    let is_certain = outcome.bounded.is_none();
    let within = PodLimits { spare, unavailable: i64::from(desired).saturating_sub(least) };
    let keeps = |outcome: &ForecastFigures| over(outcome) <= spare && outcome.available >= least;
    let found = is_certain.then(|| forecast.find_setting(within, &keeps)).flatten();
    let advice = found
        .map(|(setting, took)| format!("{setting} would keep to the limits: complete after about {}", rounded(took)));
    let is_refused = is_certain && limits.action == Limit::Deny;
    for (text, setting) in broken {
        if is_refused {
            let reasons = [advice.clone(), forecast.assumed()].into_iter().flatten();
            let reasons: String = reasons.flat_map(|reason| ["; ".into(), reason]).collect();
            violations.push(Problem::new("spec.strategy", format!("Forbidden: {text}{reasons} (setting {setting})")));
        } else {
            let why = if is_certain { "rollout: " } else { "rollout: perhaps " };
            warnings.push(Importance::Rollout, format!("{why}{text} ({setting})"));
        }
    }
    if let Some(advice) = advice.filter(|_| !is_refused) {
        warnings.push(Importance::Rollout, format!("rollout: {advice}"));
    }
}

/// If a quota has too little room, the last result says whether all have enough under the other policy.
fn judge_quotas(
    request: &Request<'_>,
    object: &Value,
    forecast: Option<&Forecast>,
    cluster: &mut Cluster<'_>,
) -> QuotaAnswers {
    let demand = match forecast {
        Some(forecast) => Demand::of_rollout(request, object, forecast, &forecast.this),
        None => Demand::of_growth(request, object),
    };
    let Some((demand, quotas)) = demand.and_then(|demand| Some((demand, quota::read(request.namespace, cluster)?)))
    else {
        return QuotaAnswers::default();
    };
    let mut judged = quota::answers(&demand, &quotas, cluster);
    if let Some(forecast) = forecast.filter(|_| judged.answers.iter().any(|answer| answer.room != QuotaRoom::Enough))
        && let Some((other, that)) = &forecast.that
        && let Some(demand) = Demand::of_rollout(request, object, forecast, that)
        && quota::is_enough(&demand, &quotas, cluster)
    {
        let text = format!("fits with {}", other.as_str());
        judged.answers.push(QuotaAnswer { room: QuotaRoom::Enough, text });
    }
    judged
}
