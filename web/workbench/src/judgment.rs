//! Whether the change of the user's manifests fits what limits it, as `changeover predict` says it.

use changeover_core::Problem;
use changeover_core::prediction::{PredictOptions, Prediction, VerdictResult, WarningKind, predict};
use changeover_wire::{Judgment, JudgmentResult, Manifests, with_grouped_digits};

use crate::advice::assumptions;
use crate::manifests::{Texts, first};

/// The verdict. Nodes and quotas limit the change only if the text has them: what the page assumes promises nothing.
///
/// # Errors
/// The first problem of the text.
pub(crate) fn judgment(manifests: &Manifests) -> Result<Judgment, Problem> {
    let texts = Texts::read(manifests).map_err(first)?;
    let options = PredictOptions { assumptions: assumptions(&texts), ..PredictOptions::default() };
    let prediction = predict(&texts.old(), &texts.after(), &options)?.prediction;
    let result = match prediction.verdict.result {
        VerdictResult::Fits => JudgmentResult::Fits,
        VerdictResult::NotJudged => JudgmentResult::NotJudged,
        VerdictResult::DoesNotFit => JudgmentResult::DoesNotFit,
    };
    // What decides is said, not what else is not known.
    let reasons = prediction.verdict.reasons.iter().filter(|reason| reason.kind.result() == prediction.verdict.result);
    let reasons = reasons.map(|reason| sentence(reason.object.as_deref(), &reason.message)).collect();
    let unrelated = prediction.warnings.iter().filter(|warning| warning.kind == WarningKind::Unrelated);
    let unrelated = unrelated.map(|warning| sentence(Some(&warning.object), &warning.message)).collect();
    Ok(Judgment { result, checked: checked(&prediction), reasons, unrelated })
}

fn checked(prediction: &Prediction) -> String {
    // Those that are exceeded without the change, too, are named as such.
    let mut quotas = prediction.quotas.iter().filter(|quota| !prediction.is_unrelated(&quota.object()));
    let quotas = match (quotas.next(), quotas.count()) {
        (None, _) => None,
        (Some(quota), 0) => Some(format!("ResourceQuota {}", quota.name)),
        (Some(_), others) => Some(format!("{} ResourceQuotas", others.saturating_add(1))),
    };
    let nodes = prediction.pending.as_ref().map(|pending| {
        let waits = pending.iter().any(|pods| pods.most > 0);
        String::from(if waits { "the nodes, although pods have to wait for room" } else { "the nodes" })
    });
    quotas.into_iter().chain(nodes).collect::<Vec<_>>().join(" and ")
}

/// `ResourceQuota team: pods: 26 needed, 20 allowed.`
fn sentence(object: Option<&str>, message: &str) -> String {
    let object = object.map(|object| match *object.split('/').collect::<Vec<_>>() {
        [kind, .., name] => format!("{kind} {name}: "),
        _ => format!("{object}: "),
    });
    with_grouped_digits(&format!("{}{message}", object.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(more: &str) -> Judgment {
        let text = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{ name: web }}\nspec:\n  replicas: 10\n  selector: {{ matchLabels: {{ app: web }} }}\n  \
             template:\n    metadata: {{ labels: {{ app: web }} }}\n    spec: {{ containers: [{{ name: web, image: web:1 }}] }}\n{more}"
        );
        judgment(&Manifests::new(text, json!({ "nodes": [{ "name": "node-a" }] }))).unwrap()
    }

    fn quota(pods: u32) -> String {
        format!(
            "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {{ name: team }}\nspec: {{ hard: {{ pods: {pods} }} }}\n"
        )
    }

    #[test]
    fn what_does_not_change_is_not_missing() {
        let judged = judged(
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: db }\nspec:\n  selector: { matchLabels: { app: db } }\n  \
             template:\n    metadata: { labels: { app: db } }\n    spec: { containers: [{ name: db, image: db:1 }] }\n\
             ---\napiVersion: flagger.app/v1beta1\nkind: Canary\nmetadata: { name: web }\n\
             spec: { targetRef: { kind: Deployment, name: web } }\n",
        );
        assert!(judged.reasons.iter().all(|reason| !reason.contains("only in the old manifests")), "{judged:?}");
    }

    #[test]
    fn only_what_the_text_limits_is_checked() {
        let none = judged("");
        assert_eq!((none.result, none.checked.as_str()), (JudgmentResult::NotJudged, ""));
        assert_eq!(none.reasons, ["No quota and no nodes were given."]);
        let wide = judged(&quota(30));
        assert_eq!((wide.result, wide.checked.as_str()), (JudgmentResult::Fits, "ResourceQuota team"));
        assert_eq!(wide.reasons, [""; 0]);
        let tight = judged(&quota(15));
        assert_eq!(tight.result, JudgmentResult::DoesNotFit);
        assert_eq!(tight.reasons, ["ResourceQuota team: pods: 20 needed, 15 allowed."]);
    }

    #[test]
    fn nodes_of_the_text_are_checked() {
        let judged = |pods: u32| {
            judged(&format!(
                "---\napiVersion: v1\nkind: Node\nmetadata: {{ name: node-b }}\nstatus: {{ allocatable: {{ pods: \"{pods}\" }} }}\n"
            ))
        };
        let wide = judged(100);
        assert_eq!((wide.result, wide.checked.as_str()), (JudgmentResult::Fits, "the nodes"));
        let tight = judged(12);
        assert_eq!(
            (tight.result, tight.checked.as_str()),
            (JudgmentResult::Fits, "the nodes, although pods have to wait for room")
        );
    }
}
