//! Applies a patch to the text of an object, so that every other value keeps its spelling: a number like 0.1000000000000000055
//! may change if it is parsed and written again.
//!
//! serde_json has parsed the text before, so this only searches where values begin and end. Its `RawValue` would do the same in
//! 15 kB more, a twentieth of the module's budget, and the crate `text` keeps positions but brings a YAML parser with it.

use changeover_core::json;
use changeover_core::review::FieldChange;
use serde_json::Value;

/// The members of a map in order, as the texts of key and value. Any other value has none.
fn members(map: &str) -> Vec<(&str, &str)> {
    let mut members = Vec::new();
    let (mut depth, mut quoted, mut escaped) = (0_u32, false, false);
    let (mut start, mut colon) = (0, None);
    for (at, byte) in map.bytes().enumerate() {
        let next = at.saturating_add(1);
        match byte {
            _ if quoted => {
                quoted = escaped || byte != b'"';
                escaped = !escaped && byte == b'\\';
            }
            b'"' => quoted = true,
            b'{' | b'[' => {
                depth = depth.saturating_add(1);
                if depth == 1 {
                    start = next;
                }
            }
            b':' if depth == 1 => colon = Some((at, next)),
            b',' | b'}' | b']' => {
                if depth == 1
                    && let Some((end, value)) = colon.take()
                    && let (Some(key), Some(value)) = (map.get(start..end), map.get(value..at))
                {
                    members.push((key.trim_ascii(), value.trim_ascii()));
                    start = next;
                }
                if byte != b',' {
                    depth = depth.saturating_sub(1);
                }
            }
            _ => {}
        }
    }
    members
}

/// Whether a text is a key with a name. It may have escapes.
fn is_key(key: &str, name: &str) -> bool {
    serde_json::from_slice::<Value>(key.as_bytes()).is_ok_and(|key| key.as_str() == Some(name))
}

/// The text of a member's value; of the last one if the key is not unique, as in serde_json.
pub(crate) fn member<'a>(map: &'a str, name: &str) -> Option<&'a str> {
    members(map).into_iter().rfind(|(key, _)| is_key(key, name)).map(|(_, value)| value)
}

/// The text of an object after a patch.
pub(crate) fn apply(object: &str, patch: &[FieldChange]) -> String {
    let mut object = object.to_owned();
    for change in patch {
        object = set_value(&object, change.path, change.text.as_deref());
    }
    object
}

/// The text of an object with a new value at a path; none removes the member.
fn set_value(text: &str, field_path: &[&str], value: Option<&str>) -> String {
    let Some((name, field_path)) = field_path.split_first() else { return value.map(quote).unwrap_or_default() };
    let mut out = String::from("{");
    let mut found = false;
    for (key, old) in members(text) {
        if !is_key(key, name) {
            push_member(&mut out, key, old);
        } else if !field_path.is_empty() || value.is_some() {
            found = true;
            push_member(&mut out, key, &set_value(old, field_path, value));
        }
    }
    if !found && value.is_some() {
        push_member(&mut out, &quote(name), &set_value("{}", field_path, value));
    }
    out.push('}');
    out
}

fn push_member(map: &mut String, key: &str, value: &str) {
    if map.len() > 1 {
        map.push(',');
    }
    map.extend([key, ":", value]);
}

fn quote(text: &str) -> String {
    json::text(&Value::from(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const SET: FieldChange = FieldChange { path: &["a", "b/c", "d"], text: None };

    fn set(object: &str, text: Option<&str>) -> String {
        apply(object, &[FieldChange { text: text.map(str::to_owned), ..SET }])
    }

    #[test]
    fn other_values_keep_their_spelling() {
        let around = r#""n":[1.0, 1e3,12345678901234567890, 0.1000000000000000055,-0],"s":"\u0061\"}{,:\\"#;
        for (before, after) in [
            (r#"{}"#, r#"{"a":{"b/c":{"d":"x"}}}"#),
            (r#" { "z" : 1.0 } "#, r#"{"z":1.0,"a":{"b/c":{"d":"x"}}}"#),
            (r#"{"a":null}"#, r#"{"a":{"b/c":{"d":"x"}}}"#),
            (r#"{"a":{"b/c":{"d":7,"e":1E2}}}"#, r#"{"a":{"b/c":{"d":"x","e":1E2}}}"#),
            (r#"{"\u0061":{"b\/c":{"d":[1,{"d":2}]}}}"#, r#"{"\u0061":{"b\/c":{"d":"x"}}}"#),
            (r#"{"a":1,"a":{"b/c":{}}}"#, r#"{"a":{"b/c":{"d":"x"}},"a":{"b/c":{"d":"x"}}}"#),
        ] {
            assert_eq!(set(before, Some("x")), after);
        }
        let object = format!(r#"{{"a":{{"b/c":{{"d":"y",{around}"}},{around}"}},{around}"}}"#);
        assert_eq!(set(&object, Some("x")), object.replace(r#""d":"y""#, r#""d":"x""#));
        assert_eq!(set(&object, None), object.replace(r#""d":"y","#, ""));
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        assert_eq!(member(r#"{"a":1,"b":[{"a":3}],"\u0061": 2 }"#, "a"), Some("2"));
        for text in ["{}", "null", "7", "[\"a\",{\"a\":1}]", "\"{a:1}\"", ""] {
            assert_eq!(member(text, "a"), None, "{text}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a\"\\\\{}:,ä]{0,6}".prop_map(Value::from),
        ];
        let key = prop_oneof![Just("a".to_owned()), Just("b/c".to_owned()), Just("d".to_owned()), "[\"\\\\{:,]{0,3}"];
        leaf.prop_recursive(4, 32, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(key.clone(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn members_are_those_of_the_map(value in any_json(), pretty in any::<bool>()) {
            let text = if pretty { format!("{value:#}") } else { value.to_string() };
            let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            let found: Vec<(Value, Value)> =
                members(&text).into_iter().map(|(key, value)| (read(key), read(value))).collect();
            let expected = value.as_object().into_iter().flatten();
            // Printed once more, since a float may not come out as it went in.
            let expected: Vec<(Value, Value)> =
                expected.map(|(key, value)| (json!(key), read(&value.to_string()))).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn a_patch_writes_and_removes(value in any_json()) {
            let text = set(&value.to_string(), Some("x\"y"));
            let read: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(read.pointer("/a/b~1c/d"), Some(&json!("x\"y")));
            let without: Value = serde_json::from_str(&set(&text, None)).unwrap();
            prop_assert_eq!(without.pointer("/a/b~1c/d"), None);
            prop_assert!(without.pointer("/a/b~1c").is_some_and(Value::is_object));
        }
    }
}
