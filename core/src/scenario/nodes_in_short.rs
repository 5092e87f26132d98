//! Nodes in short: `3x 4cpu,16Gi zone=a,b,c gpu=2`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use crate::Problem;
use crate::go::quoted;
use crate::object::quantity::nanos;

/// What separates shapes of nodes.
const SEPARATOR: char = ';';

/// The most nodes of one shape.
const MAX_NODES: usize = 20_000;

/// The words for labels and resources that many nodes have.
const LABELS: [(&str, &str); 2] =
    [("zone", "topology.kubernetes.io/zone"), ("region", "topology.kubernetes.io/region")];

/// How many pods a node takes that doesn't say it: a kubelet's default.
///
/// Upstream: `pkg/kubelet/apis/config/v1beta1/defaults.go SetDefaults_KubeletConfiguration`, maxPods
pub(crate) const MAX_PODS: u32 = 110;

/// How the names of vendors' GPUs end.
const OF_VENDOR: &str = "/gpu";

/// The same for a resource.
const GPU: (&str, &str) = ("gpu", "nvidia.com/gpu");

/// Whether a text describes nodes in short: it begins with how many there are of the first shape.
pub fn is_in_short(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(|word| count(word).is_some())
}

/// How many nodes `3x` is.
fn count(word: &str) -> Option<usize> {
    word.strip_suffix('x')?.parse().ok()
}

/// The nodes that a text describes, as a scenario has them: shapes with `;` between them, each with a number (`3x`), an amount of
/// cpu, memory and pods (`4cpu,16Gi,110pods`), labels (`zone=a,b,c`; of several values, each node gets the next), resources
/// (`gpu=2`, `example.com/dongle=1`) and taints (`taint=dedicated=batch:NoSchedule`). They are called `node-1`, `node-2` and so on, and
/// take 110 pods by default, as a kubelet does.
///
/// # Errors
/// A word that is none of these, with its position below `path`.
pub fn nodes_in_short(text: &str, path: &str) -> Result<Vec<Value>, Problem> {
    let mut nodes = Vec::new();
    for shape in text.split(SEPARATOR).map(str::trim).filter(|shape| !shape.is_empty()) {
        let words: Vec<&str> = shape.split_whitespace().collect();
        let (number, words) = match words.as_slice() {
            [first, others @ ..] if count(first).is_some() => (count(first).unwrap_or(1), others),
            words => (1, words),
        };
        if !(1..=MAX_NODES).contains(&number) {
            let message = format!("Invalid value: {}: must be from 1x to {MAX_NODES}x", quoted(shape));
            return Err(Problem::new(path, message));
        }
        for index in 0..number {
            let name = format!("node-{}", nodes.len().saturating_add(1));
            nodes.push(node(&name, words, index, path)?);
        }
    }
    Ok(nodes)
}

/// The node of a shape with that number, from 0 on.
fn node(name: &str, words: &[&str], index: usize, path: &str) -> Result<Value, Problem> {
    let mut node = Map::new();
    let (mut labels, mut resources, mut taints) = (Map::new(), Map::new(), Vec::new());
    node.insert("name".into(), name.into());
    for word in words {
        let wrong = |right: &str| Err(Problem::new(path, format!("Invalid value: {}: {right}", quoted(word))));
        let Some((key, value)) = word.split_once('=') else {
            for amount in word.split(',') {
                let Some((key, value)) = amount_of(amount) else {
                    return wrong("must be like 3x, 4cpu,16Gi,110pods, zone=a,b, gpu=2 or taint=KEY:EFFECT");
                };
                node.insert(key.into(), value);
            }
            continue;
        };
        if key == "taint" {
            let Some((given, effect)) = value.rsplit_once(':') else {
                return wrong("must be like taint=KEY:NoSchedule or taint=KEY=VALUE:NoSchedule");
            };
            let (key, value) = given.split_once('=').unwrap_or((given, ""));
            taints.push(json!({ "key": key, "value": value, "effect": effect }));
            continue;
        }
        if ["cpu", "memory", "pods"].contains(&key) {
            return wrong("must be like 4cpu, 16Gi or 110pods");
        }
        let resource = resource_of(key, value);
        if let Some(resource) = &resource {
            resources.insert(resource.clone(), value.into());
        } else if key == GPU.0 || key.ends_with(OF_VENDOR) {
            return wrong("must be an amount, like gpu=2");
        }
        // A number may be that of a label, too, like that of Karpenter's instance-cpu.
        if resource.is_none() || is_label(key) {
            let label = LABELS.iter().find(|(short, _)| *short == key).map_or(key, |(_, label)| *label);
            let values: Vec<&str> = value.split(',').collect();
            let turn = index.checked_rem(values.len()).and_then(|turn| values.get(turn));
            labels.insert(label.into(), turn.copied().unwrap_or_default().into());
        }
    }
    node.entry("pods").or_insert(MAX_PODS.into());
    for (key, map) in [("labels", labels), ("resources", resources)] {
        if !map.is_empty() {
            node.insert(key.into(), map.into());
        }
    }
    if !taints.is_empty() {
        node.insert("taints".into(), taints.into());
    }
    Ok(node.into())
}

/// A field of a node, and its value: `4cpu` is cpu, `110pods` pods, and what has the suffix of bytes memory.
fn amount_of(amount: &str) -> Option<(&'static str, Value)> {
    let is_amount = |text: &str| nanos(&text.into()).is_some_and(|amount| amount >= 0);
    if let Some(pods) = amount.strip_suffix("pods") {
        return Some(("pods", pods.parse::<u32>().ok()?.into()));
    }
    if let Some(cpu) = amount.strip_suffix("cpu").filter(|cpu| is_amount(cpu)) {
        return Some(("cpu", cpu.into()));
    }
    let is_bytes = amount.ends_with(['i', 'k', 'M', 'G', 'T']);
    (is_bytes && is_amount(amount)).then(|| ("memory", amount.into()))
}

/// The resource that a word is about: one of a vendor with an amount, huge pages, or ephemeral storage.
fn resource_of(key: &str, value: &str) -> Option<String> {
    let (short, resource) = GPU;
    let is_amount = nanos(&value.into()).is_some();
    if key == short {
        return is_amount.then(|| resource.into());
    }
    let is_native = key.starts_with("hugepages-") || key == "ephemeral-storage";
    ((is_native || is_label(key)) && is_amount).then(|| key.into())
}

/// Whether a word with an amount may also be a label of a vendor.
fn is_label(key: &str) -> bool {
    key.contains('/') && !key.contains("kubernetes.io/")
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn each_node_of_a_shape_gets_the_next_value_of_a_label() {
        let nodes = nodes_in_short(
            "3x 4cpu,16Gi zone=a,b gpu=2; 1x 500mcpu,10pods pool=batch taint=dedicated=batch:NoSchedule",
            "--nodes",
        );
        let node = |number: u32, zone: &str| {
            json!({
                "name": format!("node-{number}"), "cpu": "4", "memory": "16Gi", "pods": 110,
                "labels": { "topology.kubernetes.io/zone": zone }, "resources": { "nvidia.com/gpu": "2" },
            })
        };
        let last = json!({
            "name": "node-4", "cpu": "500m", "pods": 10, "labels": { "pool": "batch" },
            "taints": [{ "key": "dedicated", "value": "batch", "effect": "NoSchedule" }],
        });
        assert_eq!(nodes.unwrap(), [node(1, "a"), node(2, "b"), node(3, "a"), last]);
    }

    #[test]
    fn a_number_with_a_vendor_is_a_resource_and_a_label() {
        let node = &nodes_in_short("1x karpenter.k8s.aws/instance-cpu=8", "--nodes").unwrap()[0];
        let expected = json!({ "karpenter.k8s.aws/instance-cpu": "8" });
        assert_eq!((&node["labels"], &node["resources"]), (&expected, &expected));
        let node = &nodes_in_short("1x topology.kubernetes.io/rack=8 hugepages-2Mi=8", "--nodes").unwrap()[0];
        assert_eq!(node["labels"], json!({ "topology.kubernetes.io/rack": "8" }));
        assert_eq!(node["resources"], json!({ "hugepages-2Mi": "8" }));
    }

    #[test]
    fn a_path_is_no_list_of_nodes() {
        assert!(is_in_short("3x 4cpu") && is_in_short("1x"));
        assert!(["nodes.yaml", "-", "3x.yaml", "x", "old/3x"].iter().all(|path| !is_in_short(path)));
    }

    #[test]
    fn a_word_that_is_none_is_named() {
        let message = |text: &str| nodes_in_short(text, "--nodes").unwrap_err().to_string();
        assert_eq!(
            message("2x 4cores"),
            "--nodes: Invalid value: \"4cores\": must be like 3x, 4cpu,16Gi,110pods, zone=a,b, gpu=2 or taint=KEY:EFFECT"
        );
        for word in ["gpu=two", "amd.com/gpu=two"] {
            let expected = format!("--nodes: Invalid value: \"{word}\": must be an amount, like gpu=2");
            assert_eq!(message(&format!("1x {word}")), expected);
        }
        assert_eq!(message("0x 4cpu"), "--nodes: Invalid value: \"0x 4cpu\": must be from 1x to 20000x");
        assert_eq!(
            message("1x taint=a"),
            "--nodes: Invalid value: \"taint=a\": must be like taint=KEY:NoSchedule or taint=KEY=VALUE:NoSchedule"
        );
    }
}
