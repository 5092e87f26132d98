//! `metadata.managedFields`: the manager that wrote a field, and the time.

use alloc::format;
use serde_json::Value;

use crate::object::Time;
use crate::object::unstructured::{field, list, string};

/// One entry of the list.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a>(&'a Value);

impl<'a> Entry<'a> {
    /// The manager that it is about.
    pub(super) fn manager(self) -> &'a str {
        string(self.0, "manager")
    }

    /// Whether it stands for a server-side apply of the object itself.
    pub(super) fn is_apply(self) -> bool {
        string(self.0, "operation") == "Apply" && string(self.0, "subresource").is_empty()
    }

    /// Whether the manager owns the field.
    pub(super) fn owns(self, field_path: &[&str]) -> bool {
        let start = field(self.0, "fieldsV1");
        field_path.iter().try_fold(start, |set, key| Some(set?.get(format!("f:{key}")))).flatten().is_some()
    }

    /// Whether the manager owns the field and nothing else, but the maps around it.
    pub(super) fn owns_only(self, field_path: &[&str]) -> bool {
        let start = field(self.0, "fieldsV1");
        let only = field_path.iter().try_fold(start, |set, key| {
            let (own, set) = (format!("f:{key}"), set?.as_object()?);
            set.keys().all(|name| *name == own || name == ".").then(|| set.get(&own))
        });
        only.flatten().is_some()
    }

    /// When the manager last wrote, as it is written, and as a time.
    pub(super) fn time(self) -> Option<(&'a str, Time)> {
        let text = string(self.0, "time");
        Some((text, Time::parse(text)?))
    }
}

/// All entries of an object.
pub(super) fn entries(object: &Value) -> impl Iterator<Item = Entry<'_>> {
    field(object, "metadata").map_or(&[][..], |metadata| list(metadata, "managedFields")).iter().map(Entry)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let entry = |text: &str| json!({"manager": "a", "time": text});
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2026-01-01T00:00:42Z", 1_767_225_642),
            ("2100-03-01T00:00:00Z", 4_107_542_400),
        ] {
            let time = Time(0).plus_seconds(seconds);
            assert_eq!(Entry(&entry(text)).time(), Some((text, time)), "{text}");
        }
        for text in ["", "2026-01-01", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01T00:00:0xZ"] {
            assert_eq!(Entry(&entry(text)).time(), None, "{text}");
        }
    }

    #[test]
    fn ownership_follows_the_way() {
        let object = json!({"metadata": {"managedFields": [
            {"manager": "a", "fieldsV1": {"f:metadata": {"f:annotations": {"f:x/y": {}}}}},
            {"manager": "b", "fieldsV1": null}]}});
        let owners: alloc::vec::Vec<&str> = entries(&object)
            .filter(|entry| entry.owns(&["metadata", "annotations", "x/y"]))
            .map(Entry::manager)
            .collect();
        assert_eq!(owners, ["a"]);
    }
}
