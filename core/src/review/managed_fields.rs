//! What `metadata.managedFields` tells: who wrote a field, and when.

use alloc::format;
use serde_json::Value;

use crate::object::unstructured::{field, list, string};

/// One entry of the list.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a>(&'a Value);

impl<'a> Entry<'a> {
    /// Who it is about.
    pub(super) fn manager(self) -> &'a str {
        string(self.0, "manager")
    }

    /// Whether it stands for a server-side apply of the object itself.
    pub(super) fn is_apply(self) -> bool {
        string(self.0, "operation") == "Apply" && string(self.0, "subresource").is_empty()
    }

    /// Whether the manager owns the field.
    pub(super) fn owns(self, way: &[&str]) -> bool {
        let start = field(self.0, "fieldsV1");
        way.iter().try_fold(start, |set, key| Some(set?.get(format!("f:{key}")))).flatten().is_some()
    }

    /// When the manager last wrote, as text and in seconds.
    pub(super) fn time(self) -> Option<(&'a str, i64)> {
        let text = string(self.0, "time");
        Some((text, seconds(text)?))
    }
}

/// All entries of an object.
pub(super) fn entries(object: &Value) -> impl Iterator<Item = Entry<'_>> {
    field(object, "metadata").map_or(&[][..], |metadata| list(metadata, "managedFields")).iter().map(Entry)
}

/// The seconds from 1970 to a time as `metav1.Time` is stored: `2026-01-01T00:00:42Z`, in UTC and whole seconds.
/// (One form only, so that the policy does not carry a calendar library.)
fn seconds(text: &str) -> Option<i64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 60;
    if !in_range || year > 9999 {
        return None;
    }
    // Years that begin in March: the leap day is their last. The numbers are small, so nothing here can overflow.
    let shifted = month.saturating_add(9) % 12;
    let year = if shifted >= 10 { year.saturating_sub(1) } else { year };
    let leap_days = (year / 4).saturating_sub(year / 100).saturating_add(year / 400);
    let in_year = shifted.saturating_mul(153).saturating_add(2) / 5;
    let days = year.saturating_mul(365).saturating_add(leap_days).saturating_add(in_year).saturating_add(day);
    // 719,469 of these days came before 1970.
    let hours = days.saturating_sub(719_469).saturating_mul(24).saturating_add(hour);
    Some(hours.saturating_mul(60).saturating_add(minute).saturating_mul(60).saturating_add(second))
}

fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let mut parts = text.split(separator).map(|part| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if digits { part.parse().ok() } else { None }
    });
    let three = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(three)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2026-01-01T00:00:42Z", 1_767_225_642),
            ("2100-03-01T00:00:00Z", 4_107_542_400),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
            let nanoseconds = crate::object::Time::parse(text).unwrap().0;
            assert_eq!(nanoseconds / crate::object::Time::SECOND, expected, "{text}");
        }
        for text in
            ["", "2026-01-01", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01T00:00:0xZ", "Z", "T:Z"]
        {
            assert_eq!(seconds(text), None, "{text}");
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
