//! Sets of completion indexes, as Jobs write them: `0,2-4`.

use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::collect_tree::CollectTree;
use crate::go::atoi;
use crate::object::{Pod, StringMap};

/// Upstream: `k8s.io/api/batch/v1/types.go JobCompletionIndexAnnotation`
pub(super) const JOB_COMPLETION_INDEX_ANNOTATION: &str = "batch.kubernetes.io/job-completion-index";

/// Upstream: `pkg/controller/job/indexed_job_utils.go interval`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Interval {
    first: i64,
    last: i64,
}

impl Interval {
    const fn total(self) -> i64 {
        self.last.saturating_sub(self.first).saturating_add(1)
    }
}

/// Upstream: `pkg/controller/job/indexed_job_utils.go orderedIntervals`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderedIntervals(Vec<Interval>);

impl OrderedIntervals {
    /// Reads a list. Intervals that can't be read are left out, and indexes beyond the completions are cut off.
    ///
    /// Upstream: `pkg/controller/job/indexed_job_utils.go parseIndexesFromString`
    pub fn parse(text: &str, completions: i64) -> Self {
        let mut result: Vec<Interval> = Vec::new();
        for interval in text.split(',').filter(|_| !text.is_empty()) {
            let mut limits = interval.split('-');
            let Some(Ok(first)) = limits.next().map(atoi) else { continue };
            if first >= completions {
                break;
            }
            let last = match limits.next().map(atoi) {
                None => first,
                Some(Ok(last)) => last.min(completions.saturating_sub(1)),
                Some(Err(_)) => continue,
            };
            match result.last_mut() {
                Some(before) if before.last == first.saturating_sub(1) => before.last = last,
                _ => result.push(Interval { first, last }),
            }
        }
        Self(result)
    }

    /// These intervals and more indexes, which come in order.
    ///
    /// Upstream: `pkg/controller/job/indexed_job_utils.go orderedIntervals.withOrderedIndexes`
    #[must_use]
    pub(crate) fn with_ordered_indexes(&self, indexes: impl IntoIterator<Item = i64>) -> Self {
        self.merge(&Self(indexes.into_iter().map(|index| Interval { first: index, last: index }).collect()))
    }

    /// Upstream: `pkg/controller/job/indexed_job_utils.go orderedIntervals.merge`
    #[must_use]
    pub fn merge(&self, other: &Self) -> Self {
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut result: Vec<Interval> = Vec::new();
        loop {
            let next = match (ours.peek(), theirs.peek()) {
                (Some(a), Some(b)) if a.first < b.first => ours.next(),
                (Some(_), None) => ours.next(),
                _ => theirs.next(),
            };
            let Some(next) = next else { return Self(result) };
            match result.last_mut() {
                Some(last) if next.first <= last.last.saturating_add(1) => last.last = last.last.max(next.last),
                _ => result.push(*next),
            }
        }
    }

    /// How many indexes there are.
    ///
    /// Upstream: `pkg/controller/job/indexed_job_utils.go orderedIntervals.total`
    pub fn total(&self) -> i64 {
        self.0.iter().map(|interval| interval.total()).fold(0, i64::saturating_add)
    }

    /// How many indexes there are, in 32 bits.
    pub(super) fn total32(&self) -> i32 {
        let [a, b, c, d, ..] = self.total().to_le_bytes();
        i32::from_le_bytes([a, b, c, d])
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Upstream: `pkg/controller/job/indexed_job_utils.go orderedIntervals.has`
    pub fn has(&self, index: i64) -> bool {
        let position = self.0.partition_point(|interval| interval.last < index);
        self.0.get(position).is_some_and(|interval| interval.first <= index)
    }

    /// How many indexes both have.
    ///
    /// Upstream: `pkg/controller/job/success_policy.go matchSucceededIndexesRule`
    pub(super) fn overlap(&self, other: &Self) -> i64 {
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut contains = 0_i64;
        while let (Some(a), Some(b)) = (ours.peek(), theirs.peek()) {
            let overlap = Interval { first: a.first.max(b.first), last: a.last.min(b.last) }.total();
            contains = contains.saturating_add(overlap.max(0));
            let order = a.last.cmp(&b.last);
            if order.is_le() {
                ours.next();
            }
            if order.is_ge() {
                theirs.next();
            }
        }
        contains
    }

    /// The first `count` indexes below `completions` that are not in the list.
    pub(super) fn first_missing(&self, count: usize, completions: i64) -> Vec<i64> {
        let mut result = Vec::new();
        let mut candidate = 0_i64;
        for interval in &self.0 {
            let end = interval.first.min(completions);
            result.extend((candidate..end).take(count.saturating_sub(result.len())));
            candidate = candidate.max(end).max(interval.last.saturating_add(1));
        }
        result.extend((candidate..completions).take(count.saturating_sub(result.len())));
        result
    }
}

impl core::fmt::Display for OrderedIntervals {
    /// Upstream: `pkg/controller/job/indexed_job_utils.go orderedIntervals.String`
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (position, Interval { first, last }) in self.0.iter().enumerate() {
            let comma = if position > 0 { "," } else { "" };
            write!(f, "{comma}{first}")?;
            if last > first {
                let separator = if *last == first.saturating_add(1) { ',' } else { '-' };
                write!(f, "{separator}{last}")?;
            }
        }
        Ok(())
    }
}

/// The pod's index; none without the annotation, or with one that is no index.
///
/// Upstream: `pkg/controller/job/indexed_job_utils.go getCompletionIndex`
pub fn get_completion_index(pod: &Pod) -> Option<i64> {
    let index = atoi(pod.metadata.annotation(JOB_COMPLETION_INDEX_ANNOTATION)?).ok()?;
    (index >= 0).then_some(index)
}

/// The indexes of the pods.
///
/// Upstream: `pkg/controller/job/indexed_job_utils.go getIndexes`
pub(super) fn get_indexes<'a>(pods: impl IntoIterator<Item = &'a Rc<Pod>>) -> BTreeSet<i64> {
    pods.into_iter().filter_map(|pod| get_completion_index(pod)).collect_tree()
}

/// The pods sorted by their indexes; those without one come first.
///
/// Upstream: `pkg/controller/job/indexed_job_utils.go byCompletionIndex.Less`
pub(super) fn sort_by_completion_index(pods: &mut Vec<Rc<Pod>>) {
    let indexes: Vec<_> = pods.iter().map(|pod| get_completion_index(pod)).collect();
    let order = crate::go::sort::order(pods.len(), &|a, b| indexes.get(a) < indexes.get(b));
    *pods = order.iter().filter_map(|position| pods.get(*position).cloned()).collect();
}

/// The map with one more entry.
pub(super) fn with_index(map: &StringMap, index: i64) -> StringMap {
    let mut map = map.clone();
    Rc::make_mut(&mut map).insert(JOB_COMPLETION_INDEX_ANNOTATION.into(), index.to_string());
    map
}

/// What the generated name of a pod with an index begins with.
///
/// Upstream: `pkg/controller/job/indexed_job_utils.go podGenerateNameWithIndex`
pub(super) fn pod_generate_name_with_index(job: &str, index: i64) -> String {
    /// Upstream: `k8s.io/apiserver/pkg/storage/names/generate.go MaxGeneratedNameLength`
    const MAX_GENERATED_NAME_LENGTH: usize = 58;
    let suffix = alloc::format!("-{index}-");
    let room = MAX_GENERATED_NAME_LENGTH.saturating_sub(suffix.len());
    // The name of a Job is ASCII: a cut within a letter can't be.
    let kept = if job.len() > room { job.get(..room).unwrap_or(job) } else { job };
    [kept, &suffix].concat()
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::OrderedIntervals;

    fn parse(text: &str) -> OrderedIntervals {
        OrderedIntervals::parse(text, 20)
    }

    #[test]
    fn lists_are_read_as_upstream_reads_them() {
        let lists = [
            ("", ""),
            ("0", "0"),
            ("0-1", "0,1"),
            ("0,1,3-5", "0,1,3-5"),
            ("0,1,2", "0-2"),
            ("4-25", "4-19"),
            ("3,20-30,5", "3"),
            ("x,3,4-y,7", "3,7"),
        ];
        for (text, printed) in lists {
            assert_eq!(parse(text).to_string(), printed, "{text}");
        }
    }

    #[test]
    fn lists_are_merged() {
        assert_eq!(parse("1-3,8").with_ordered_indexes([0, 4, 9]).to_string(), "0-4,8,9");
        assert_eq!(parse("1-3").merge(&parse("2-6,9")).to_string(), "1-6,9");
        assert_eq!(parse("1-3,7").total(), 4);
        assert!(parse("1-3,7").has(7) && !parse("1-3,7").has(5) && !parse("1-3,7").has(8));
        assert_eq!(parse("0-3,8-9").overlap(&parse("2-8")), 3);
    }

    #[test]
    fn the_first_missing_indexes() {
        assert_eq!(parse("0-2,5").first_missing(3, 8), [3, 4, 6]);
        assert_eq!(parse("").first_missing(5, 2), [0, 1]);
        assert_eq!(parse("0-19").first_missing(5, 20), Vec::<i64>::new());
    }
}
