//! Kubernetes quantities, in billionths.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Amounts by resource.
pub type Amounts = BTreeMap<String, i128>;

/// A quantity of 1.
pub const ONE: i128 = 1_000_000_000;

/// Reads `500m`, `1.5Gi`, `3` or `1e3`.
pub fn parse(quantity: &Value) -> i128 {
    let text = quantity.as_str().map_or_else(|| quantity.to_string(), str::to_owned);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().unwrap();
    digits * unit(suffix) / 10_i128.pow(fraction.len().try_into().unwrap())
}

fn unit(suffix: &str) -> i128 {
    let power = |base: i128, letter: &str| {
        let place = ["k", "M", "G", "T", "P", "E"].iter().position(|known| known.eq_ignore_ascii_case(letter)).unwrap();
        ONE * base.pow(u32::try_from(place).unwrap() + 1)
    };
    match suffix {
        "" => ONE,
        "m" => ONE / 1_000,
        "u" => ONE / 1_000_000,
        "n" => 1,
        "k" | "M" | "G" | "T" | "P" | "E" => power(1000, suffix),
        _ => match suffix.strip_suffix('i') {
            Some(letter) => power(1024, letter),
            None => ONE * 10_i128.pow(suffix.trim_start_matches(['e', 'E']).parse().unwrap()),
        },
    }
}

/// Reads `cpu=500m,pods=3`.
pub fn amounts(text: &str) -> Amounts {
    let pairs = text.split(',').map(|pair| pair.split_once('=').unwrap());
    pairs.map(|(resource, amount)| (resource.to_owned(), parse(&json!(amount)))).collect()
}

#[test]
fn quantities_are_read() {
    assert_eq!(parse(&json!(3)), 3 * ONE);
    assert_eq!(parse(&json!("500m")), ONE / 2);
    assert_eq!(parse(&json!("1.5Gi")), 3 * (1 << 29) * ONE);
    assert_eq!(parse(&json!("2k")), parse(&json!("2e3")));
    assert_eq!(amounts("cpu=1,limits.memory=1Ki"), [("cpu".into(), ONE), ("limits.memory".into(), 1024 * ONE)].into());
}
