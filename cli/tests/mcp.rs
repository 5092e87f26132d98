//! The messages of `changeover mcp`, one by one. `tests/npm/mcp.test.mjs` has a whole session of the official client.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod memory_host;

use changeover_cli::{Exit, run};
use memory_host::MemoryHost;
use proptest::prelude::*;
use serde_json::{Value, json};

const WEB: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: \"web:1\"}]}
";

/// What the server writes for these lines, with these flags.
fn answers(flags: &[&str], lines: &str) -> (Vec<Value>, MemoryHost) {
    let mut host = MemoryHost { stdin: Some(lines.to_owned()), ..MemoryHost::default() };
    host.files.insert("web.yaml", WEB.to_owned());
    let arguments: Vec<String> = ["changeover", "mcp"].iter().chain(flags).map(|word| (*word).to_owned()).collect();
    assert_eq!(run(&mut host, &arguments), Exit::Clean);
    let answers = host.output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (answers, host)
}

fn answer(flags: &[&str], message: &Value) -> Value {
    let (answers, _) = answers(flags, &message.to_string());
    assert_eq!(answers.len(), 1, "{message}");
    answers.into_iter().next().unwrap()
}

fn call(flags: &[&str], tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    answer(flags, &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }))["result"].clone()
}

/// The text of a result, and whether it is an error.
fn text(result: &Value) -> (&str, bool) {
    (result["content"][0]["text"].as_str().unwrap(), result["isError"].as_bool().unwrap())
}

#[test]
fn a_line_that_is_no_request_gets_the_error_of_json_rpc() {
    for (line, id, code) in [
        ("{", json!(null), -32_700),
        ("\u{0}", json!(null), -32_700),
        (&"[".repeat(1000), json!(null), -32_700),
        ("7", json!(null), -32_600),
        ("[]", json!(null), -32_600),
        (r#"{"id":1,"method":"ping"}"#, json!(1), -32_600),
        (r#"{"jsonrpc":"2.0","id":1}"#, json!(1), -32_600),
        (r#"{"jsonrpc":"2.0","id":1,"method":2}"#, json!(1), -32_600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, json!(null), -32_600),
        (r#"{"jsonrpc":"2.0","id":"a","method":"resources/list"}"#, json!("a"), -32_601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, json!(1), -32_602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, json!(1), -32_602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"apply"}}"#, json!(1), -32_602),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rank","arguments":[]}}"#,
            json!(1),
            -32_602,
        ),
    ] {
        let (answers, _) = answers(&[], line);
        let [answer] = answers.as_slice() else { panic!("{line}: {answers:?}") };
        assert_eq!((&answer["jsonrpc"], &answer["id"], &answer["error"]["code"]), (&json!("2.0"), &id, &json!(code)));
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty(), "{line}");
    }
}

#[test]
fn notifications_responses_and_empty_lines_get_no_answer() {
    let lines = "\n \r\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    assert_eq!(answers(&[], lines).0, Vec::<Value>::new());
}

#[test]
fn a_batch_is_answered_together() {
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(answer(&[], &json!([ping, note, 2])).as_array().unwrap().len(), 2);
}

#[test]
fn the_version_of_the_client_is_taken_if_it_is_known() {
    for (asked, given) in [
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2024-11-05"),
        ("2099-01-01", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
    ] {
        let request =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": asked } });
        assert_eq!(answer(&[], &request)["result"]["protocolVersion"], given, "{asked}");
    }
}

#[test]
fn a_request_may_name_its_version() {
    let request = |method: &str, version: &str| {
        let meta = json!({ "io.modelcontextprotocol/protocolVersion": version });
        answer(&[], &json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "_meta": meta } }))
    };
    let discovered = request("server/discover", "2026-07-28");
    assert_eq!(discovered["result"]["supportedVersions"], json!(["2026-07-28"]));
    for method in ["server/discover", "tools/list"] {
        let result = &request(method, "2026-07-28")["result"];
        assert_eq!((&result["resultType"], &result["cacheScope"]), (&json!("complete"), &json!("public")), "{method}");
    }
    let refused = request("tools/list", "1900-01-01");
    assert_eq!(refused["error"]["code"], -32_022);
    assert_eq!(refused["error"]["data"]["requested"], "1900-01-01");
}

#[test]
fn a_text_that_cannot_be_read_is_reported_where_it_is() {
    const BROKEN: &str = "a: [\n";
    const REASON: &str = "must be YAML or JSON";
    for (tool, arguments) in
        [("explain", json!({ "objects": BROKEN })), ("advise", json!({ "objects": BROKEN, "maxPods": 5 }))]
    {
        let result = call(&[], tool, &arguments);
        let (text, is_error) = text(&result);
        assert!(text.starts_with("<objects>:2:1: ") && text.contains(REASON) && is_error, "{tool}: {text}");
    }
    let result = call(&[], "predict", &json!({ "old": BROKEN, "new": WEB }));
    let left_out = &result["structuredContent"]["leftOut"][0];
    assert_eq!((&left_out["object"], &left_out["file"]), (&json!(""), &json!("<old>")));
}

#[test]
fn an_error_does_not_repeat_all_of_a_long_argument() {
    let result = call(&[], "predict", &json!({ "old": "x".repeat(200_000) }));
    let (text, is_error) = text(&result);
    assert!(text.len() < 3_000 && text.ends_with("not found") && is_error, "{text}");
}

#[test]
fn durations_are_text_or_milliseconds() {
    let complete = |after: Value| {
        let arguments = json!({ "old": WEB, "new": WEB.replace("web:1", "web:2"), "readyAfter": after });
        call(&[], "predict", &arguments)["structuredContent"]["prediction"]["workloads"][0]["outcome"]["complete"]
            .clone()
    };
    assert!(complete(json!("20s")).is_number());
    assert_eq!(complete(json!(20_000)), complete(json!("20s")));
    assert_eq!(complete(json!(1.5)), complete(json!("1500us")));
}

#[test]
fn an_object_with_a_uid_is_the_state_of_a_cluster() {
    let is_new = |objects: &str| {
        let result = call(&[], "predict", &json!({ "old": objects }));
        text(&result).0.contains("predicting a new application")
    };
    assert_eq!((is_new(WEB), is_new(&WEB.replace("name: web}\nspec", "name: web, uid: web}\nspec"))), (true, false));
}

#[test]
fn objects_are_paths_text_or_json() {
    let changed = WEB.replace("web:1", "web:2");
    let json: Value = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "web" } });
    for (old, new) in [
        (json!("web.yaml"), json!(changed)),
        (json!(WEB), json!(changed)),
        (json!([WEB]), json!(changed)),
        (json!("web.yaml"), json!(json.to_string())),
        (json!("web.yaml"), json.clone()),
        (json!("web.yaml"), json!([json])),
    ] {
        let result = call(&[], "predict", &json!({ "old": old, "new": new }));
        let (text, is_error) = text(&result);
        assert!(text.starts_with("not judged: ") && !is_error, "{text}");
        assert_eq!(result["structuredContent"]["verdict"]["result"], "notJudged");
    }
}

#[test]
fn a_pasted_text_has_lines_and_columns() {
    let result = call(&[], "validate", &json!({ "objects": WEB.replace("replicas: 4", "replicas: -4") }));
    let (text, is_error) = text(&result);
    assert!(text.contains("<objects>:5:3: spec.replicas: Invalid value: -4"), "{text}");
    assert!(!is_error, "an answer with findings is no error");
    assert_eq!(result["structuredContent"]["problems"][0]["line"], 5);
}

#[test]
fn what_an_agent_gets_wrong_is_one_sentence_with_the_name_of_the_parameter() {
    for (tool, arguments, sentence) in [
        ("predict", json!({}), "Required value: at least one of old, new"),
        ("predict", json!({ "old": "gone.yaml" }), "gone.yaml: not found"),
        (
            "predict",
            json!({ "old": "-" }),
            "standard input: has the client's messages: give a path, or the text itself",
        ),
        ("predict", json!({ "old": "/dev/stdin" }), "/dev/stdin: must be a file or a folder"),
        ("predict", json!({ "old": 7 }), "old: Invalid value: must be a path, or YAML or JSON text"),
        ("predict", json!({ "old": ["a", "b"] }), "old: Too many: must be one path, such as a folder"),
        (
            "predict",
            json!({ "old": "web.yaml", "readyAfter": "soon" }),
            "invalid value 'soon' for 'readyAfter <TIME>': must be a duration like 90s, or never",
        ),
        (
            "predict",
            json!({ "old": "web.yaml", "cluster": true }),
            "cluster: Forbidden: the user must start the server with --cluster",
        ),
        (
            "predict",
            json!({ "olds": 1 }),
            "olds: Unknown argument: must be one of old, new, quotas, nodes, readyAfter, stopAfter, runFor, prune, now, namespace",
        ),
        (
            "advise",
            json!({ "objects": "web.yaml" }),
            "Required value: at least one of maxPods, minAvailable, within, quotas, fitQuotas",
        ),
        (
            "advise",
            json!({ "objects": "web.yaml", "maxPods": true }),
            "maxPods: Invalid value: true: must be an integer",
        ),
        ("advise", json!({ "objects": "web.yaml", "maxPods": 4.5 }), "maxPods: Invalid value: 4.5: must be an integer"),
        (
            "advise",
            json!({ "objects": "web.yaml", "maxPods": -1 }),
            "maxPods: Invalid value: -1: must be greater than or equal to 0",
        ),
        ("rank", json!({ "objects": "web.yaml" }), "workload: Required value"),
        ("rank", json!({ "workload": "--help", "objects": "web.yaml" }), "Not found: \"--help\""),
        (
            "validate",
            json!({ "objects": "web.yaml", "featureGates": "A=true" }),
            "featureGates: Invalid value: \"A=true\": must be a list of strings",
        ),
        ("validate", json!({}), "objects: Required value"),
    ] {
        let result = call(&[], tool, &arguments);
        let (text, is_error) = text(&result);
        assert!(is_error && text.starts_with(sentence) && text.lines().count() == 1, "{tool} {arguments}: {text}");
        assert_eq!(result.get("structuredContent"), None);
    }
}

#[test]
fn the_text_names_parameters_in_place_of_flags() {
    let quota = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: team}, spec: {hard: {pods: 5}}}";
    let arguments = json!({ "old": WEB, "new": WEB.replace("web:1", "web:2"), "quotas": quota });
    let predicted = call(&[], "predict", &arguments);
    let advised = call(&[], "advise", &json!({ "objects": "web.yaml", "maxPods": 4, "minAvailable": 4 }));
    let texts = [(predicted, "(stopAfter)"), (advised, "relax maxPods to")];
    for (result, named) in &texts {
        let (text, _) = text(result);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(named) && words.contains("To see all, read structuredContent."), "{text}");
        assert!(!words.contains("--") && !words.contains(" -v"), "{text}");
    }
}

#[test]
fn the_cluster_is_read_only_as_far_as_the_user_allows() {
    let list = |flags: &[&str]| {
        let list = answer(flags, &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
        let tools = list["result"]["tools"].as_array().unwrap().clone();
        tools.iter().filter(|tool| tool["inputSchema"]["properties"].get("cluster").is_some()).count()
    };
    assert_eq!([list(&[]), list(&["--cluster"])], [0, 4]);
    // The machine of this test has no kubectl.
    let shop = ["--cluster", "--namespace", "shop"];
    let missing = "kubectl: not found: cluster needs it on the PATH";
    let refused = "kubectl: not allowed: the user lets this server read only the namespace shop";
    for (flags, arguments, sentence) in [
        (["--cluster"].as_slice(), json!({ "cluster": true, "namespace": "shop" }), missing),
        (&shop, json!({ "cluster": true }), missing),
        (&shop, json!({ "cluster": true, "namespace": "shop" }), missing),
        (&shop, json!({ "cluster": true, "namespace": "bank" }), refused),
        (&shop, json!({ "cluster": true, "allNamespaces": true }), refused),
        (&shop, json!({ "cluster": true, "deployment": "bank/web" }), refused),
    ] {
        let result = call(flags, "explain", &arguments);
        let (text, is_error) = text(&result);
        assert_eq!((text, is_error), (sentence, true), "{flags:?} {arguments}");
    }
}

proptest! {
    /// Whatever a client sends, the server goes on.
    #[test]
    fn any_line_is_survived(line in "\\PC*", tool in "predict|advise|explain|validate|rank|review", name in "old|new|objects|quotas|count|now|cluster", value in "\\PC*") {
        let params = json!({ "name": tool, "arguments": { name: value } });
        let called = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
        let lines = format!("{}\n{called}\n{ping}\n", line.replace('\n', " "));
        let (answers, _) = answers(&[], &lines);
        prop_assert_eq!(answers.last().unwrap(), &json!({ "jsonrpc": "2.0", "id": 2, "result": {} }));
    }
}
