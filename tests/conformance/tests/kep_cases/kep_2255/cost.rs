//! Which values are valid costs, and their numbers.

use serde_json::{Value, json};

use super::super::objects::{case, noted};
use super::{COST, DESIGN};

pub fn cases() -> Vec<Value> {
    let cost = |name: &str, annotations: Value, cost: i32, error: Value| {
        let input = json!({"annotations": annotations});
        let expected = json!({"cost": cost, "error": error});
        case("pod.deletionCost", &format!("cost: {name}"), DESIGN, &Value::Null, input, expected)
    };
    let valid =
        |value: &str, number: i32| cost(&format!("{value:?} is valid"), json!({COST: value}), number, false.into());
    let invalid = |value: &str, error: &str| {
        cost(&format!("{value:?} is invalid and counts as 0"), json!({COST: value}), 0, error.into())
    };
    vec![
        cost("the default is 0", json!({}), 0, false.into()),
        cost("another annotation is not a cost", json!({"cost": "7"}), 0, false.into()),
        valid("0", 0),
        valid("12", 12),
        valid("-12", -12),
        valid("2147483647", i32::MAX),
        valid("-2147483647", -i32::MAX),
        noted(valid("-2147483648", i32::MIN), "the KEP's range is symmetric; upstream reads any 32-bit integer"),
        valid("-0", 0),
        valid("-007", -7),
        invalid("cheap", "invalid value \"cheap\""),
        invalid("", "invalid value \"\""),
        invalid("+12", "invalid value \"+12\""),
        invalid("012", "invalid value \"012\""),
        invalid("00", "invalid value \"00\""),
        invalid(" 12", "invalid value \" 12\""),
        invalid("12 ", "strconv.ParseInt: parsing \"12 \": invalid syntax"),
        invalid("1.5", "strconv.ParseInt: parsing \"1.5\": invalid syntax"),
        invalid("1e3", "strconv.ParseInt: parsing \"1e3\": invalid syntax"),
        invalid("-", "strconv.ParseInt: parsing \"-\": invalid syntax"),
        invalid("2147483648", "strconv.ParseInt: parsing \"2147483648\": value out of range"),
        invalid("-2147483649", "strconv.ParseInt: parsing \"-2147483649\": value out of range"),
    ]
}
