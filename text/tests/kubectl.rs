//! 2,000 texts that `tests/recorder/texts` generated, valid, odd and broken, each read as kubectl's decoder reads it, or refused
//! where it refuses.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Read;

use changeover_text::{Error, ErrorKind, read};
use flate2::read::GzDecoder;
use serde_json::Value;

const RECORDING: &[u8] = include_bytes!("kubectl.jsonl.gz");

/// What is read in another way on purpose: what stands in the text, how many texts it decides, and why.
const DIFFERENCES: [(&str, usize, &str); 2] = [
    ("[a:,", 4, "libyaml refuses a colon before a comma, which go-yaml takes as part of a text"),
    ("1e999", 3, "a number that is too large is a string, as in YAML, also where it stands in JSON"),
];

#[test]
fn reads_what_kubectl_reads() {
    let mut recording = String::new();
    GzDecoder::new(RECORDING).read_to_string(&mut recording).unwrap();
    assert_eq!(recording.lines().count(), 2000);
    let mut differing = Vec::new();
    let mut expected = DIFFERENCES.map(|_| 0);
    for line in recording.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().unwrap();
        let (theirs, their_errors) = documents(&case);
        let parsed = read(text);
        let ours: Vec<&Value> = parsed.objects.iter().map(|document| &document.value).collect();
        let errors: Vec<&Error> = parsed.errors.iter().filter(|error| error.kind != ErrorKind::Empty).collect();
        let is_equal =
            ours.len() == theirs.len() && ours.iter().zip(&theirs).all(|(ours, theirs)| is_same(ours, theirs));
        if is_equal && errors.is_empty() == their_errors.is_empty() {
            continue;
        }
        if let Some(index) = DIFFERENCES.iter().position(|(part, _, _)| text.contains(part)) {
            expected[index] += 1;
        } else {
            differing.push(format!("{text:?}\n  kubectl: {theirs:?} {their_errors:?}\n  ours:    {ours:?} {errors:?}"));
        }
    }
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
    assert_eq!(expected, DIFFERENCES.map(|(_, count, _)| count));
}

/// The objects of a recorded text, and why its other documents are none.
fn documents(case: &Value) -> (Vec<Value>, Vec<String>) {
    let mut objects = Vec::new();
    let mut errors = Vec::new();
    for document in case["documents"].as_array().unwrap() {
        match document.get("json") {
            Some(json @ Value::Object(_)) => objects.push(json.clone()),
            Some(other) => errors.push(format!("no object: {other}")),
            None => errors.push(document["error"].as_str().unwrap().to_owned()),
        }
    }
    (objects, errors)
}

/// Whether two values are equal, a number whatever its form.
fn is_same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| is_same(ours, theirs))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().all(|(key, value)| theirs.get(key).is_some_and(|theirs| is_same(value, theirs)))
        }
        (Value::Number(ours), Value::Number(theirs)) => ours == theirs || ours.as_f64() == theirs.as_f64(),
        _ => ours == theirs,
    }
}
