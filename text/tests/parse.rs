//! What the parser returns for texts, and the errors for invalid ones.
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use changeover_text::{Document, objects, parse, parse_bytes, parse_with_lists, read};
use proptest::prelude::*;
use serde_json::{Value, json};

fn one(text: &str) -> Document {
    let mut documents = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    assert_eq!(documents.len(), 1, "{text:?}");
    documents.remove(0)
}

fn refused(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

#[test]
fn reads_yaml_and_json_alike() {
    let yaml = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 3\n  paused: no\n";
    let json = r#"{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
	"spec": {"replicas": 3, "paused": false}}"#;
    assert_eq!(one(yaml).value, one(json).value);
    assert_eq!(one(json).position("spec.paused").to_string(), "line 2, column 26");
}

#[test]
fn reads_json_that_yaml_can_not() {
    let document = one(r#"{"a": "\ud83d\uDE00", "b": {"c": 1}}"#);
    assert_eq!(document.value, json!({"a": "\u{1f600}", "b": {"c": 1}}));
    assert_eq!(document.position("b.c").to_string(), "line 1, column 29");
}

#[test]
fn the_last_of_two_equal_keys_counts_with_a_warning() {
    let cases = [
        (
            r#"{"b": 1, "b": 2}"#,
            "line 1, column 10: b: Duplicate value: \"b\": must appear only once: this one counts, not that at line 1, column 2",
        ),
        (
            "{\"b\": \"\\ud83d\\ude00\", \"b\": 2}",
            "line 1, column 23: b: Duplicate value: \"b\": must appear only once: this one counts, not that at line 1, column 2",
        ),
        (
            "---\na.b:\n- c/d.e: 1\n  c/d.e: 2\n",
            "line 4, column 3: [a.b][0][c/d.e]: Duplicate value: \"c/d.e\": must appear only once: this one counts, not that at line 3, column 3",
        ),
        (
            "a: &a {b: 1}\nc:\n  b: 2\n  <<: *a\n",
            "line 4, column 3: c.b: Duplicate value: \"b\": must appear only once: this one counts, not that at line 3, column 3",
        ),
        (
            "a: 1\n...\nb: 2\n",
            "line 3, column 1: Invalid value: text after the end of a document: must begin with a line `---`: it is ignored",
        ),
    ];
    for (text, warning) in cases {
        let warnings: Vec<String> = parse_with_lists(text).unwrap().warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, [warning], "{text:?}");
    }
    let document = one("spec:\n  replicas: 2\n  replicas: 3\n");
    assert_eq!(document.value, json!({"spec": {"replicas": 3}}));
    assert_eq!(document.position("spec.replicas").to_string(), "line 3, column 3");
}

#[test]
fn an_error_in_one_document_leaves_the_others() {
    let parsed = read("a: 1\n---\nb: [\n---\n- c\n--- d\ne: 2\n---\nkind: List\nitems: [null, {f: 1}]\n");
    let values: Vec<&Value> = parsed.objects.iter().map(|document| &document.value).collect();
    assert_eq!(values, [&json!({"a": 1}), &json!({"e": 2}), &json!({"f": 1})]);
    let errors: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "line 4, column 1: b[0]: Invalid value: must be YAML or JSON: did not find expected node content while parsing a flow node",
            "line 6, column 1: Invalid value: \"--- d\": must be `---` alone, or with a comment",
            "line 10, column 9: items[0]: Invalid value: null: must be an object",
        ]
    );
    let parsed = read("{\"a\": 1}\n{\"b\":\n  2}\n");
    assert_eq!(parsed.objects[1].position("b").to_string(), "line 2, column 2");
    assert_eq!(read("kind: List\nitems:\n").lists.len(), 1);
}

#[test]
fn a_plain_key_comes_before_one_with_dots() {
    let document = one("a.b: 1\na:\n  b: 2\nspec.x: 3\nspec:\n  y: 4\n");
    assert_eq!(document.position("a.b").to_string(), "line 3, column 3");
    assert_eq!(document.position("spec.x").to_string(), "line 4, column 1");
    assert_eq!(document.position("spec.z").to_string(), "line 5, column 1");
}

/// As `sigs.k8s.io/yaml` reads them.
#[test]
fn binary_values_are_decoded_and_times_are_texts() {
    for (written, read) in [
        ("!!binary aGVsbG8=", json!("hello")),
        ("!!binary |\n  aGVs\n  bG8=", json!("hello")),
        ("!!binary true", json!("\u{fffd}\u{fffd}\u{fffd}")),
        ("!!binary 4oI=", json!("\u{fffd}\u{fffd}")),
        ("!!binary", json!("")),
        ("!!timestamp 2001-1-1", json!("2001-1-1")),
        ("!!timestamp 2001-12-14t21:59:43.10-05:00", json!("2001-12-14t21:59:43.10-05:00")),
        ("!!timestamp '2004-02-29 1:02:03'", json!("2004-02-29 1:02:03")),
    ] {
        assert_eq!(one(&format!("a: {written}\n")).value, json!({ "a": read }), "{written}");
    }
    for written in [
        "!!binary aGVs bG8=",
        "!!binary a=Vs",
        "!!binary a===",
        "!!binary aGVsb",
        "!!timestamp",
        "!!timestamp 5",
        "!!timestamp 2001-13-01",
        "!!timestamp 2001-02-29",
        "!!timestamp 2001-1-1 1:02:03 +2",
        "!!timestamp 2001-01-01T01:02:03",
    ] {
        refused(&format!("a: {written}\n"));
    }
}

#[test]
fn an_apostrophe_may_be_escaped_in_double_quotes() {
    let text = "a: \"it\\'s\"\nb: it\\'s\nc: 'it\\'\nd: \"\\\\'\"\n# \\'\n\"e\\'\": |\n  \\'\n";
    let value = one(text).value;
    assert_eq!(value, json!({"a": "it's", "b": "it\\'s", "c": "it\\", "d": "\\'", "e'": "\\'\n"}));
}

#[test]
fn quotes_and_tags_keep_strings() {
    let value = one("a: 'yes'\nb: \"3\"\nc: !!str 3\nd: !!int '3'\ne: |\n  1\nf: !custom 3\n").value;
    assert_eq!(value, json!({"a": "yes", "b": "3", "c": "3", "d": 3, "e": "1\n", "f": "3"}));
}

#[test]
fn keys_become_strings() {
    assert_eq!(one("on: 1\n8080: a\n? b\n: c\n").value, json!({"true": 1, "8080": "a", "b": "c"}));
}

#[test]
fn splits_streams_and_lists() {
    let documents = parse(
        "---\n# nothing\n---\nkind: A\n---\nkind: List\nitems:\n- kind: B\n  spec: {replicas: 1}\n- kind: C\n...\n---\nkind: PodList\napiVersion: v1\nitems:\n- metadata: {}\n",
    )
    .unwrap();
    let kinds: Vec<_> = documents.iter().map(|document| document.value["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["A", "B", "C", "Pod"]);
    assert_eq!(documents[1].position("spec.replicas").to_string(), "line 9, column 10");
    assert_eq!(documents[3].value, json!({"apiVersion": "v1", "kind": "Pod", "metadata": {}}));
    assert_eq!(parse("kind: List\nitems: []\n").map(|documents| documents.len()), Ok(0));
}

#[test]
fn returns_lists_without_their_items() {
    let text = "kind: A\n---\nkind: List\nmore: 1\nitems:\n- kind: B\n---\nkind: List\nitems: []\n";
    let parsed = parse_with_lists(text).unwrap();
    let values = |documents: &[Document]| documents.iter().map(|document| document.value.clone()).collect::<Vec<_>>();
    assert_eq!(values(&parsed.objects), [json!({"kind": "A"}), json!({"kind": "B"})]);
    let empty = json!({"kind": "List", "items": []});
    assert_eq!(values(&parsed.lists), [json!({"kind": "List", "more": 1, "items": []}), empty]);
    assert_eq!(parsed.lists[0].position("more").to_string(), "line 4, column 1");
}

#[test]
fn a_value_that_is_not_a_list_keeps_its_items() {
    for value in [json!({"items": [1]}), json!({"kind": "A", "items": [1]}), json!({"kind": "List", "items": "a"})] {
        assert_eq!(one(&value.to_string()).value, value);
        assert_eq!(objects(value.clone()).unwrap()[0].value, value);
    }
}

#[test]
fn takes_values_apart_as_it_does_texts() {
    let web = json!({"kind": "Deployment"});
    let values =
        |value: Value| objects(value).map(|objects| objects.into_iter().map(|object| object.value).collect::<Vec<_>>());
    let list = json!({"kind": "List", "items": [web, web]});
    assert_eq!(values(web.clone()), Ok(vec![web.clone()]));
    assert_eq!(values(json!([web, list])), Ok(vec![web.clone(), web.clone(), web]));
    assert_eq!(values(json!([])), Ok(Vec::new()));
    let refused = |value: Value| values(value).expect_err("no objects").to_string();
    assert_eq!(refused(json!([1])), "[0]: Invalid value: 1: must be an object");
    assert_eq!(refused(json!(true)), "Invalid value: true: must be an object or a list of objects");
    let wrong = json!({"kind": "List", "items": [1]});
    assert_eq!(refused(wrong.clone()), "items[0]: Invalid value: 1: must be an object");
    assert_eq!(refused(json!([{}, wrong])), "[1].items[0]: Invalid value: 1: must be an object");
}

#[test]
fn finds_every_path_or_what_is_around_it() {
    let document = one(
        "metadata:\n  annotations:\n    example.com/cost: '+10'\nspec:\n  containers:\n  - name: a\n  - name: b\n    image: c\n",
    );
    let cases = [
        ("", "line 1, column 1"),
        ("metadata.annotations[example.com/cost]", "line 3, column 5"),
        ("metadata.annotations.example.com/cost", "line 3, column 5"),
        ("spec.containers", "line 5, column 3"),
        ("spec.containers[1]", "line 7, column 5"),
        ("spec.containers[1].image", "line 8, column 5"),
        ("spec.containers[1].command[0]", "line 7, column 5"),
        ("spec.containers[7]", "line 5, column 3"),
        ("spec.replicas", "line 4, column 1"),
        ("status", "line 1, column 1"),
        ("spec.containersX", "line 4, column 1"),
    ];
    for (path, place) in cases {
        assert_eq!(document.position(path).to_string(), place, "{path}");
    }
}

#[test]
fn finds_labels_where_errors_leave_metadata_out() {
    let document = one("spec:\n  template:\n    metadata:\n      labels:\n        a: b\n    spec: {}\n");
    assert_eq!(document.position("spec.template.labels").to_string(), "line 4, column 7");
    assert_eq!(document.position("spec.template.annotations[a]").to_string(), "line 2, column 3");
}

#[test]
fn expands_aliases_and_merges() {
    let document = one(
        "base: &base {a: 1, b: 2}\ncopy: *base\nmore:\n  <<: *base\n  b: 3\nboth:\n  <<: [{c: 1}, *base, {a: 9}]\n",
    );
    assert_eq!(document.value["copy"], json!({"a": 1, "b": 2}));
    assert_eq!(document.value["more"], json!({"a": 1, "b": 3}));
    assert_eq!(document.value["both"], json!({"a": 1, "b": 2, "c": 1}));
    assert_eq!(document.position("copy.b").to_string(), "line 1, column 20");
    assert_eq!(document.position("more.b").to_string(), "line 5, column 3");
}

#[test]
fn refuses_in_one_sentence() {
    let cases = [
        ("", "Required value: must be an object in YAML or JSON"),
        ("# only a comment\n---\n", "Required value: must be an object in YAML or JSON"),
        (
            "hello world",
            "line 1, column 1: Invalid value: \"hello world\": must be an object (lines such as `kind: Deployment`)",
        ),
        ("- a\n", "line 1, column 1: Invalid value: a list: must be an object (lines such as `kind: Deployment`)"),
        ("a: 1\n---\n7\n", "line 3, column 1: Invalid value: 7: must be an object (lines such as `kind: Deployment`)"),
        ("a: .nan\n", "line 1, column 4: a: Invalid value: .nan: must be a finite number"),
        ("a: !!int x\n", "line 1, column 4: a: Invalid value: \"x\": must be a !!int"),
        ("a: [!!binary x]\n", "line 1, column 5: a[0]: Invalid value: \"x\": must be base64"),
        (
            "a: !!timestamp soon\n",
            "line 1, column 4: a: Invalid value: \"soon\": must be a time, such as 2026-01-31 or 2026-01-31T12:00:00Z",
        ),
        (
            "'\\/': \"\\\\/\"\nb: [\"\\/\"]\n",
            "line 2, column 5: b[0]: Invalid value: \"\\/\": must be / without the backslash, which only JSON allows",
        ),
        ("a.b:\n- ? [a]\n  : b\n", "line 2, column 5: [a.b][0]: Invalid value: a list: must be a field's name"),
        ("a: &a [*a]\n", "line 1, column 8: a[0]: Invalid value: an alias: must not refer to a value that contains it"),
        ("a: *b\n", "line 1, column 4: a: Not found: \"b\": must be an anchor before the alias"),
        ("<<: 3\n", "line 1, column 5: <<: Invalid value: 3: must be a map or a list of maps"),
        ("kind: List\nitems: [3]\n", "line 2, column 9: items[0]: Invalid value: 3: must be an object"),
        ("a: \u{0}", "line 1, column 4: Invalid value: U+0000: must be text without control characters"),
    ];
    for (text, message) in cases {
        assert_eq!(refused(text), message, "{text:?}");
        // As CONTRIBUTING.md requires: what is wrong, and what would be right.
        let says = ["Invalid value: ", "Not found: ", "Required value: ", "Unsupported value: "];
        let right = says.iter().find_map(|says| message.split_once(says)).map(|(_, right)| right);
        assert!(right.is_some_and(|right| right.contains("must ") || right.contains("supported ")), "{message}");
    }
    for text in ["a: b: c", "{a: 1", "a:\n\t- b", "\"open", "a: [1}"] {
        let message = refused(text);
        assert!(
            message.starts_with("line ") && message.contains(": Invalid value: must be YAML or JSON: "),
            "{text:?}: {message}"
        );
    }
    // It is not on a line that the text does not have.
    assert!(refused("a: [").starts_with("line 1, column 5: "), "{}", refused("a: ["));
    let message = parse_bytes(b"a: \xff").unwrap_err().to_string();
    assert_eq!(message, "Invalid value: byte 3: must be UTF-8");
}

#[test]
fn reads_utf_16_with_its_mark() {
    let text = "\u{feff}kind: Deployment\r\nmetadata:\r\n  name: web # 😀\r\n";
    let bytes_of: [fn(u16) -> [u8; 2]; 2] = [u16::to_le_bytes, u16::to_be_bytes];
    for bytes_of in bytes_of {
        let bytes: Vec<u8> = text.encode_utf16().flat_map(bytes_of).collect();
        let documents = parse_bytes(&bytes).unwrap();
        assert_eq!(documents.len(), 1);
        assert_eq!(documents[0].value, one(text).value);
        let cut = bytes[..bytes.len() - 1].to_vec();
        let unpaired: Vec<u8> = [0xfeff, 0xd83d].into_iter().flat_map(bytes_of).collect();
        for broken in [cut, unpaired] {
            let message = parse_bytes(&broken).unwrap_err().to_string();
            assert_eq!(message, "Invalid value: incomplete character: must be UTF-16");
        }
    }
}

#[test]
fn limits_nesting_and_aliases() {
    let deep = format!("{}...: Too many: 101: must have at most 100 levels of nesting", "[0]".repeat(20));
    assert_eq!(refused(&"[".repeat(200)), format!("line 1, column 101: {deep}"));
    assert_eq!(refused(&"[".repeat(100_000)), format!("line 1, column 101: {deep}"));
    let mut laughs = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for level in 1..30 {
        let below = level - 1;
        laughs.push_str(&format!("a{level}: &a{level} [{}*a{below}]\n", format!("*a{below}, ").repeat(8)));
    }
    assert!(refused(&laughs).ends_with("]: Too long: aliases must not copy more than 16777216 bytes"));
    let mut tower = "a0: &a0 [x]\n".to_owned();
    for level in 1..200 {
        tower.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
    }
    assert!(refused(&tower).ends_with("Too many: 101: must have at most 100 levels of nesting"));
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~]{0,12}".prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-zA-Z./-]{1,8}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    // proptest would search every folder above for a crate root.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_panics(text in "\\PC*") {
        let _ = parse(&text);
    }

    #[test]
    fn never_panics_on_near_yaml(text in "([-?:,\\[\\]{}#&*!|>'\"%@` \\\\\n\r~a1.<]|: |- |\n  |---|\\.\\.\\.|!!|<<: ){0,60}") {
        let _ = parse(&text);
    }

    #[test]
    fn never_panics_on_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_bytes(&bytes);
    }

    #[test]
    fn reads_json_as_serde_json_does(value in values()) {
        let value = json!({"value": value});
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            prop_assert_eq!(&one(&text).value, &value);
        }
    }
}
