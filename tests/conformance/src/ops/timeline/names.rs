//! Names in texts, without their random or hashed parts.

use std::cmp::Reverse;

use changeover_core::object::Object;
use changeover_core::timeline::Timeline;

const HASH_LABEL: &str = "pod-template-hash";

/// How many characters the API server appends to a `generateName`.
///
/// Upstream: `k8s.io/apiserver/pkg/storage/names/generate.go randomLength`
const RANDOM_LENGTH: usize = 5;

/// The names of a timeline's ReplicaSets, and how a case writes them: `web-$HASH`; and the prefixes of the names of a
/// Job's pods. Longest first, since one may be a prefix of another.
pub struct Names(Vec<(String, String)>);

impl Names {
    pub fn of(timeline: &Timeline) -> Self {
        let changes = timeline.steps.iter().filter_map(|step| step.change.as_ref());
        let written = changes.filter_map(|change| change.after.as_ref());
        let mut names: Vec<_> = timeline.initial.objects().chain(written).filter_map(name).collect();
        names.sort_by_cached_key(|(name, _)| (Reverse(name.len()), name.clone()));
        names.dedup();
        Self(names)
    }

    /// The text as a case writes it: `web-$HASH` for a ReplicaSet, and `xxxxx` at the end of a generated Pod name.
    pub fn masked(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (name, written)| masked(&text, name, written))
    }
}

fn name(object: &Object) -> Option<(String, String)> {
    let replica_set = match object {
        Object::ReplicaSet(replica_set) => replica_set,
        Object::Pod(pod) if pod.metadata.controller().is_some_and(|owner| &*owner.kind == "Job") => {
            let start = pod.metadata.generate_name.trim_end_matches('-').to_owned();
            return Some((start.clone(), start)).filter(|(start, _)| !start.is_empty());
        }
        _ => return None,
    };
    let name = &*replica_set.metadata.name;
    let labels = replica_set.metadata.labels.iter();
    let hash = labels.into_iter().find(|(key, _)| **key == *HASH_LABEL).map(|(_, value)| value.to_string());
    let start = hash.and_then(|hash| name.strip_suffix(&*hash).map(str::to_owned));
    Some((name.to_owned(), start.map_or_else(|| name.to_owned(), |start| format!("{start}$HASH"))))
}

fn masked(text: &str, name: &str, written: &str) -> String {
    let mut parts = text.split(name);
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for after in parts {
        masked.push_str(written);
        match after.strip_prefix('-').and_then(without_random_end) {
            Some(rest) => masked.extend(["-xxxxx", rest]),
            None => masked.push_str(after),
        }
    }
    masked
}

/// The text after the random suffix of a Pod's name, if the text begins with one.
fn without_random_end(text: &str) -> Option<&str> {
    let (end, rest) = text.split_at_checked(RANDOM_LENGTH)?;
    let is_random = end.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    (is_random && !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-')).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_and_random_ends_are_masked() {
        let names = Names(vec![("web-5b7d9".into(), "web-$HASH".into()), ("web".into(), "web".into())]);
        assert_eq!(
            names.masked("web-5b7d9 of web creates web-5b7d9-x2x4z."),
            "web-$HASH of web creates web-$HASH-xxxxx."
        );
        assert_eq!(names.masked("\"web-5b7d9-x2x4z\" and web-proxying"), "\"web-$HASH-xxxxx\" and web-proxying");
    }
}
