use super::indexes::OrderedIntervals;
use crate::workload::job::SuccessPolicy;

/// The position of the first rule that the succeeded indexes fulfil.
///
/// Upstream: `pkg/controller/job/success_policy.go matchSuccessPolicy`
pub(super) fn match_success_policy(
    success_policy: Option<&SuccessPolicy>,
    completions: i32,
    succeeded: &OrderedIntervals,
) -> Option<usize> {
    if succeeded.is_empty() {
        return None;
    }
    success_policy?.rules.iter().position(|rule| {
        let enough = |count: i64| rule.succeeded_count.is_some_and(|wanted| count >= wanted.into());
        match &rule.succeeded_indexes {
            Some(indexes) => {
                let required = OrderedIntervals::parse(indexes, completions.into());
                let contains = required.overlap(succeeded);
                !required.is_empty() && (contains == required.total() || enough(contains))
            }
            None => enough(succeeded.total()),
        }
    })
}
