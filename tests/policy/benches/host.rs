//! The policy in its host, next to a guest that accepts everything: size, compilation, and a review in a new and in a
//! used instance. Timed by hand, as the minimum of many runs, in processor time: the machine is never completely idle.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark may panic, and prints what it measured"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use changeover_tests_policy::real_hosts::{PolicyServer, configured, program};
use changeover_tests_policy::{policy, policy_path, root};
use changeover_www::{ContextObjects, Instance, Policy};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

const RUNS: u32 = 10_000;
const ROUNDS: u32 = 20;
const FORECASTS: u32 = 50;
/// How many clients change one Deployment again and again.
const CLIENTS: usize = 20;
/// How many requests the policy beside it gets meanwhile.
const REQUESTS: usize = 200;
/// The managers of a large Pod.
const MANAGERS: usize = 500;

/// A part of the benchmark, which its arguments can name.
type Part = (&'static str, fn());

const PARTS: [Part; 4] =
    [("guests", print_guests), ("large", print_large), ("forecasts", print_forecasts), ("neighbors", print_neighbors)];

fn main() {
    let wanted: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (_, print) in PARTS.into_iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|part| part == name))
    {
        print();
    }
}

/// Prints what a Pod costs, next to the guest that accepts everything.
fn print_guests() {
    let empty = env::var_os("CHANGEOVER_EMPTY_GUEST").map(PathBuf::from).expect("run it with `make bench`");
    let pod = payload(&request("pod-create"), &json!({}));
    let mut guests = [Guest::new("empty", &empty), Guest::new("policy", &policy_path())];
    // Alternately, so that other load on the machine affects all guests.
    for _ in 0..ROUNDS {
        guests.iter_mut().for_each(|guest| guest.run(&pod));
    }
    println!("## The policy in its host\n\nA payload of {} bytes, the least of {RUNS} runs.\n", pod.len());
    println!("| guest | bytes | compilation | fresh | used |\n|---|---|---|---|---|");
    for Guest { name, bytes, compilation, fresh, used, .. } in &guests {
        println!("| {name} | {bytes} | {compilation:.1?} | {fresh:.1?} | {used:.1?} |");
    }
    let [empty, policy] = &guests;
    let times = |this: Duration, that: Duration| this.as_secs_f64() / that.as_secs_f64();
    let (fresh, used) = (times(policy.fresh, empty.fresh), times(policy.used, empty.used));
    println!("| ratio to the empty guest (goal) | | | {fresh:.2} (1.3) | {used:.2} (1.6) |");
}

/// Prints what Pods with many managers cost.
fn print_large() {
    println!("## Large requests\n\n| request, each in a fresh instance | the least of {FORECASTS} runs |\n|---|---|");
    let (update, settings) = large_pod();
    let mut create = update.clone();
    create["operation"] = json!("CREATE");
    create["oldObject"] = Value::Null;
    for (what, request) in [("a new Pod", create), ("an update, with the old Pod and the new one", update)] {
        let large = payload(&request, &settings);
        let span = least(FORECASTS, || review(policy(), &large));
        println!("| {what}: {} bytes with {MANAGERS} managers each (goal 20 ms) | {span:.1?} |", large.len());
    }
}

/// Prints what forecasts cost.
fn print_forecasts() {
    println!(
        "## Forecasts\n\n| request, each in a fresh instance (goal 20 ms) | the least of {FORECASTS} runs | answer |\n|---|---|---|"
    );
    let quarters = json!({ "maxSurge": "25%", "maxUnavailable": "25%" });
    let one_by_one = one_by_one();
    for (how, strategy, sizes) in [
        ("a quarter at a time", &quarters, [10, 100, 1_000, 2_000, 10_000].as_slice()),
        ("one by one", &one_by_one, &[100, 200, 1_000, 2_000, 10_000]),
    ] {
        for replicas in sizes {
            let what = format!("a new image for {replicas} replicas, {how}");
            print_review(policy(), &what, &rollout(*replicas, *replicas, strategy), &json!({ "forecast": true }));
        }
    }
    // A step takes longer if the pods have more containers, so there are fewer.
    for (replicas, containers) in [(100, 10), (100, 30), (10, 100), (1, 400)] {
        let mut large = rollout(replicas, replicas, &one_by_one);
        for key in ["object", "oldObject"] {
            let pod = &mut large[key]["spec"]["template"]["spec"];
            let container = pod["containers"][0].clone();
            let named = |index| {
                let mut container = container.clone();
                container["name"] = json!(format!("c{index}"));
                container
            };
            pod["containers"] = (0..containers).map(named).collect();
        }
        let what = format!("a new image for {replicas} replicas with {containers} containers each, one by one");
        print_review(policy(), &what, &large, &json!({ "forecast": true }));
    }
    // Pods of different ages are ranked, which takes longer than to count them.
    let one = json!({ "maxSurge": 1, "maxUnavailable": 1 });
    for (how, strategy, from, to) in [
        ("with 1 and 1", &one, 44, 132),
        ("a quarter at a time", &quarters, 500, 1_000),
        ("a quarter at a time", &quarters, 1_000, 2_000),
        ("a quarter at a time", &quarters, 2_000, 500),
    ] {
        let what = format!("a new image and {to} instead of {from} replicas, {how}");
        print_review(policy(), &what, &rollout(from, to, strategy), &json!({ "forecast": true }));
    }
    // Too little room: the rollout is played again with the quota, and once more for what would complete.
    for (how, strategy, replicas) in [
        ("a quarter at a time", &quarters, 10),
        ("a quarter at a time", &quarters, 100),
        ("a quarter at a time", &quarters, 1_000),
        ("one by one", &one_by_one, 100),
    ] {
        let what = format!("a new image for {replicas} replicas, {how}, and no room in a quota");
        let limited = policy().clone().with_host_calls(Arc::new(full_quota(replicas)));
        print_review(
            &limited,
            &what,
            &rollout(replicas, replicas, strategy),
            &json!({ "forecast": true, "context": true, "quota": "warn" }),
        );
    }
}

fn one_by_one() -> Value {
    json!({ "maxSurge": 1, "maxUnavailable": 0 })
}

/// Prints what many clients that change one Deployment cost another policy in the same policy-server, in wall-clock time.
fn print_neighbors() {
    let Some(program) = program("policy-server") else { return };
    let policies = json!({
        "rollouts": configured(&json!({ "forecast": true })),
        "costs": configured(&json!({ "pod_deletion_cost": { "max": 100 } })),
    });
    let server = PolicyServer::start(&program, &policies, None);
    let review =
        |request: &Value| json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request });
    let (rollout, pod) = (review(&rollout(100, 100, &one_by_one())), review(&request("pod-create")));
    println!("\n## One Deployment that {CLIENTS} clients change, and another policy in the same policy-server\n");
    println!(
        "| clients that change the Deployment | reviews of it a second | the other policy: median | maximum of {REQUESTS} |\n|---|---|---|---|"
    );
    for clients in [0, 1, CLIENTS] {
        let (is_over, reviews) = (AtomicBool::new(false), AtomicUsize::new(0));
        let (took, span) = thread::scope(|scope| {
            for _ in 0..clients {
                scope.spawn(|| {
                    let client = server.client();
                    while !is_over.load(Ordering::Relaxed) {
                        let answer = client.review_at("/validate/rollouts", &rollout);
                        assert_eq!(answer["allowed"], true, "{answer}");
                        reviews.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let (client, begun) = (server.client(), Instant::now());
            let mut took: Vec<Duration> = (0..REQUESTS)
                .map(|_| {
                    let begun = Instant::now();
                    let answer = client.review_at("/validate/costs", &pod);
                    assert_eq!(answer["allowed"], true, "{answer}");
                    begun.elapsed()
                })
                .collect();
            let span = begun.elapsed();
            is_over.store(true, Ordering::Relaxed);
            took.sort();
            (took, span)
        });
        let reviews = f64::from(u32::try_from(reviews.into_inner()).unwrap_or(u32::MAX)) / span.as_secs_f64();
        println!("| {clients} | {reviews:.0} | {:.1?} | {:.1?} |", took[REQUESTS / 2], took[REQUESTS - 1]);
    }
}

/// A namespace in which the pods of a Deployment use all of the quota.
fn full_quota(pods: u32) -> impl Fn(&str, &[u8]) -> Result<Vec<u8>, String> + Send + Sync {
    let hard = json!({ "pods": pods });
    let objects = ContextObjects::new(vec![json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team", "namespace": "shop" },
        "spec": { "hard": hard }, "status": { "hard": hard, "used": hard },
    })]);
    move |capability, payload| objects.answer(capability, payload)
}

/// Prints the row of a rollout: the least time of its review in a fresh instance, and what it says.
fn print_review(policy: &Policy, what: &str, rollout: &Value, settings: &Value) {
    let rollout = payload(rollout, settings);
    let forecast = warnings(policy, &rollout);
    let span = least(FORECASTS, || review(policy, &rollout));
    println!("| {what} | {span:.1?} | {forecast} |");
}

/// A guest and its minimum times.
struct Guest {
    name: &'static str,
    bytes: u64,
    policy: Policy,
    instance: Instance,
    compilation: Duration,
    fresh: Duration,
    used: Duration,
}

impl Guest {
    fn new(name: &'static str, path: &Path) -> Self {
        let bytes = fs::metadata(path).expect("the module exists").len();
        let compilation = least(3, || load(path));
        let policy = load(path);
        let instance = policy.instance().expect("an instance");
        Self { name, bytes, policy, instance, compilation, fresh: Duration::MAX, used: Duration::MAX }
    }

    fn run(&mut self, payload: &[u8]) {
        let runs = RUNS / ROUNDS;
        self.fresh = self.fresh.min(least(runs, || review(&self.policy, payload)));
        let call = || self.instance.call("validate", payload).expect("an answer");
        self.used = self.used.min(least(runs, call));
    }
}

fn load(path: &Path) -> Policy {
    Policy::load(&fs::read(path).expect("the module can be read")).expect("the module is a policy")
}

fn review(policy: &Policy, payload: &[u8]) -> Vec<u8> {
    policy.call("validate", payload).expect("an answer")
}

/// The processor time that this thread has used so far.
fn cpu_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

fn least<T>(runs: u32, mut run: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let start = cpu_time();
        let result = run();
        let span = cpu_time().saturating_sub(start);
        drop(result);
        span
    };
    (0..runs).map(time).min().expect("at least one run")
}

/// A request as an API server sends it.
fn request(name: &str) -> Value {
    let path = root().join(format!("tests/conformance/requests/{name}.json"));
    let mut review: Value = serde_json::from_slice(&fs::read(path).expect("the request can be read")).expect("JSON");
    review["request"].take()
}

/// A user changes the cost of a Pod of 1.5 MB with 500 managers. The policy's rules read all of them.
fn large_pod() -> (Value, Value) {
    let mut request = request("pod-create");
    request["operation"] = json!("UPDATE");
    let entry = |index: usize, time: &str| {
        let mut fields = serde_json::Map::new();
        for field in 0..27 {
            fields.insert(format!("f:example.com/{index}-{field}-{:0>80}", ""), json!({}));
        }
        fields.insert("f:controller.kubernetes.io/pod-deletion-cost".into(), json!({}));
        json!({
            "manager": format!("manager-{index}"), "operation": "Update", "apiVersion": "v1", "time": time,
            "fieldsType": "FieldsV1", "fieldsV1": { "f:metadata": { "f:annotations": fields } },
        })
    };
    let pod = |cost: &str, time: &str| {
        let mut pod = request["object"].clone();
        pod["metadata"]["annotations"] = json!({ "controller.kubernetes.io/pod-deletion-cost": cost });
        pod["metadata"]["managedFields"] = (0..MANAGERS).map(|index| entry(index, time)).collect();
        pod
    };
    let (old, new) = (pod("1", "2026-01-01T00:00:00Z"), pod("2", "2026-01-01T00:01:00Z"));
    request["oldObject"] = old;
    request["object"] = new;
    (request, json!({ "pod_deletion_cost": { "min_change_interval": "30s", "max": 100 } }))
}

/// A Deployment that gets a new image and is scaled, after it has settled.
fn rollout(from: u32, to: u32, rolling_update: &Value) -> Value {
    let mut request = request("deployment-update");
    for (key, replicas) in [("object", to), ("oldObject", from)] {
        let object = &mut request[key];
        object["metadata"]["generation"] = json!(3);
        object["spec"]["replicas"] = json!(replicas);
        object["spec"]["strategy"] = json!({ "type": "RollingUpdate", "rollingUpdate": rolling_update });
        object["status"] = json!({
            "observedGeneration": 3, "replicas": from, "updatedReplicas": from, "readyReplicas": from,
            "availableReplicas": from, "terminatingReplicas": 0,
        });
        object["spec"]["template"]["spec"]["containers"][0]["image"] = json!(key);
    }
    request
}

fn payload(request: &Value, settings: &Value) -> Vec<u8> {
    json!({ "request": request, "settings": settings }).to_string().into_bytes()
}

/// What the forecast says of the rollout and the quotas.
fn warnings(policy: &Policy, payload: &[u8]) -> String {
    let answer: Value = serde_json::from_slice(&review(policy, payload)).expect("JSON");
    let warnings = answer["warnings"].as_array().expect("warnings").iter().filter_map(Value::as_str);
    warnings.filter(|text| !text.starts_with("assumed: ")).collect::<Vec<_>>().join("; ")
}
