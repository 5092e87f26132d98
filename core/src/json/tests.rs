use alloc::string::{String, ToString};
use alloc::vec::Vec;

use litemap::LiteMap;
use serde_json::{Map, Value, json};

use super::{FromJson, ToJson, decode};
use crate::object::Unknown;

#[derive(Debug, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Outer {
    count: i32,
    #[serde(default)]
    #[json(omitempty)]
    inner: Vec<Inner>,
    #[serde(default)]
    map: LiteMap<String, Option<u32>>,
    #[serde(default)]
    my_choice: Option<Choice>,
    #[serde(default = "seven", rename = "type")]
    type_: i64,
}

fn seven() -> i64 {
    7
}

#[derive(Debug, PartialEq, ToJson, FromJson)]
struct Inner {
    name: String,
    #[serde(flatten)]
    rest: Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
enum Choice {
    #[serde(rename = "")]
    Unset,
    PlainOne,
    Other,
}

#[derive(Debug, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Timed {
    #[serde(default)]
    at: i32,
    #[serde(flatten)]
    deed: Deed,
}

#[derive(Debug, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
enum Deed {
    GoAway(Inner),
    Anything(Value),
}

fn problem(value: &Value) -> String {
    decode::<Outer>(value, "root").unwrap_err().to_string()
}

#[test]
fn a_value_is_written_as_it_was_read() {
    let value = json!({
        "count": -3,
        "inner": [{"name": "a", "other": [1, 2.5, null, {"x": true}]}],
        "map": {"a": 1, "b": null},
        "myChoice": "plainOne",
        "type": 1,
    });
    let read: Outer = decode(&value, "").unwrap();
    assert_eq!(read.inner[0].rest.get("other"), Some(&json!([1, 2.5, null, {"x": true}])));
    assert_eq!(read.to_json(), value);
    assert_eq!(serde_json::from_value::<Outer>(value.clone()).unwrap(), read);
    assert_eq!(serde_json::to_value(read).unwrap(), value);
}

#[test]
fn absent_fields_get_defaults_and_empty_ones_may_be_omitted() {
    let read: Outer = decode(&json!({"count": 1}), "").unwrap();
    assert_eq!((read.type_, read.my_choice), (7, None));
    assert_eq!(read.to_json(), json!({"count": 1, "map": {}, "myChoice": null, "type": 7}));
    assert!(Choice::Unset.is_empty() && !Choice::Other.is_empty() && Map::new().is_empty());
}

#[test]
fn problems_have_a_path() {
    for (value, expected) in [
        (json!({"count": "abc"}), "root.count: Invalid value: \"abc\": must be a 32bit integer"),
        (json!({"count": 1_099_511_627_776_u64}), "root.count: Invalid value: 1099511627776: must be a 32bit integer"),
        (json!({"count": 1.5}), "root.count: Invalid value: 1.5: must be a 32bit integer"),
        (json!({"count": null}), "root.count: Invalid value: null: must be a 32bit integer"),
        (json!({"count": 1, "inner": [{"name": 5}]}), "root.inner[0].name: Invalid value: 5: must be a string"),
        (json!({"count": 1, "inner": [{}]}), "root.inner[0].name: Required value"),
        (json!({"count": 1, "inner": {}}), "root.inner: Invalid value: a map: must be a list"),
        (json!({"count": 1, "map": {"a": -1}}), "root.map.a: Invalid value: -1: must be a 32bit integer, not negative"),
        (
            json!({"count": 1, "myChoice": "no"}),
            "root.myChoice: Invalid value: \"no\": must be one of \"plainOne\", \"other\"",
        ),
        (
            json!({"count": 1, "myChoice": []}),
            "root.myChoice: Invalid value: a list: must be one of \"plainOne\", \"other\"",
        ),
        (json!({}), "root.count: Required value"),
        (json!([]), "root: Invalid value: a list: must be a map"),
        (
            json!({"count": 1, "cuont": 2}),
            "root.cuont: Unsupported value: \"cuont\": supported values: \"count\", \"inner\", \"map\", \"myChoice\", \"type\"",
        ),
    ] {
        assert_eq!(problem(&value), expected);
    }
}

#[test]
fn a_variant_is_a_key_beside_the_fields() {
    let value = json!({"at": 5, "goAway": {"name": "a"}});
    let read: Timed = decode(&value, "").unwrap();
    assert!(matches!(&read.deed, Deed::GoAway(Inner { name, .. }) if name == "a"));
    assert_eq!(read.to_json(), value);
    let null: Timed = decode(&json!({"goAway": null, "anything": 1}), "").unwrap();
    assert_eq!(null, Timed { at: 0, deed: Deed::Anything(json!(1)) });
    assert_eq!(decode::<Deed>(&json!({"anything": []}), "").unwrap(), Deed::Anything(json!([])));
}

#[test]
fn exactly_one_variant_is_given() {
    let problem = |value: Value| decode::<Timed>(&value, "deeds[0]").unwrap_err().to_string();
    for (value, expected) in [
        (json!({"at": 1}), "deeds[0]: Invalid value: 0 deeds: must be exactly one besides at"),
        (json!({"goAway": {}, "anything": 1}), "deeds[0]: Invalid value: 2 deeds: must be exactly one besides at"),
        (json!({"goAway": {}}), "deeds[0].goAway.name: Required value"),
        (json!({"at": "x", "anything": 1}), "deeds[0].at: Invalid value: \"x\": must be a 32bit integer"),
        (
            json!({"anything": 1, "goawya": {}}),
            "deeds[0].goawya: Unsupported value: \"goawya\": supported values: \"at\", \"goAway\", \"anything\"",
        ),
    ] {
        assert_eq!(problem(value), expected);
    }
    let alone = decode::<Deed>(&json!({}), "deed").unwrap_err().to_string();
    assert_eq!(alone, "deed: Invalid value: 0 deeds: must be exactly one");
}
