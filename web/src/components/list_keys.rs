use std::collections::BTreeMap;

/// The items of a list, each with a unique key: its name, and how many items before it have the same name.
pub fn keyed<T>(items: &[T], name: impl Fn(&T) -> String) -> Vec<(String, &T)> {
    let mut counts = NameCounts::default();
    items.iter().map(|item| (counts.key(name(item)), item)).collect()
}

/// How often each name has occurred so far. It is a map because a text may have thousands of workloads.
#[derive(Default)]
struct NameCounts(BTreeMap<String, usize>);

impl NameCounts {
    /// The key of the next item.
    fn key(&mut self, name: String) -> String {
        let count = self.0.entry(name.clone()).or_default();
        let key = format!("{name} {count}");
        *count = count.saturating_add(1);
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_and_an_item_keeps_its_key_when_others_come_and_go() {
        let keys = |items: &[&str]| {
            keyed(items, |item| String::from(*item)).into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        assert_eq!(keys(&["web", "db", "web"]), ["web 0", "db 0", "web 1"]);
        assert_eq!(keys(&["cache", "db"]), ["cache 0", "db 0"]);
        assert_eq!(keys(&["web", "web 1", "web"]), ["web 0", "web 1 0", "web 1"]);
    }
}
