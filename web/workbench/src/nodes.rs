//! The Nodes of a text, which controls add, change and remove together.

use changeover_text::{Document, parse};
use changeover_wire::MAX_NODES;
use serde_json::{Map, Value, json};

use crate::text_edit::{has_added_document, with_documents, with_field_of_all, without_documents};

/// The path of the number of Nodes.
const COUNT: &str = "/count";

/// Where the amounts of a Node are.
const ALLOCATABLE: &str = "/status/allocatable/";

/// The amounts of a Node that have a control. Nothing else about its size is simulated.
const AMOUNTS: [&str; 3] = ["pods", "cpu", "memory"];

/// The label that every node has with its own value.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// The Nodes of a text, if controls can change them.
pub(crate) struct EqualNodes<'a>(Vec<&'a Value>);

impl<'a> EqualNodes<'a> {
    /// None if they differ in an amount, there are more Nodes than the control may add, or a Pod says which Node it is on.
    pub fn of(documents: &'a [Document]) -> Option<Self> {
        let nodes: Vec<&Value> = nodes(documents).map(|(_, node)| node).collect();
        let amounts = |node: &Value| AMOUNTS.map(|amount| node.pointer(&format!("{ALLOCATABLE}{amount}")).map(as_text));
        let is_different = |node: &Value| nodes.first().is_some_and(|first| amounts(first) != amounts(node));
        let is_on_node = |Document { value, .. }: &Document| {
            kind(value) == "Pod" && value.pointer("/spec/nodeName").is_some_and(|node| !node.is_null())
        };
        let is_fixed =
            nodes.len() > MAX_NODES || nodes.iter().any(|node| is_different(node)) || documents.iter().any(is_on_node);
        (!is_fixed).then_some(Self(nodes))
    }

    /// Their number, or an amount of each; null if it is not there. `path`: that of a control, without the kind.
    pub fn value(&self, path: &str) -> Value {
        let Some(first) = self.0.first() else { return Value::Null };
        if path == COUNT { json!(self.0.len()) } else { first.pointer(path).cloned().unwrap_or_default() }
    }
}

/// What the controls say about the Nodes.
pub(crate) struct NodeControls<'a> {
    /// How many there are.
    count: usize,
    /// The amounts; null for any amount.
    amounts: Vec<(&'static str, &'a Value)>,
    /// The Nodes for a text without any; none if no control was changed.
    added: &'a [Value],
}

impl<'a> NodeControls<'a> {
    /// Those with these values, by the path of the control without the kind. None without a number of Nodes.
    pub fn of(values: &[(&str, &'a Value)], added: &'a [Value]) -> Option<Self> {
        let value = |path: &str| values.iter().find(|(known, _)| *known == path).map(|(_, value)| *value);
        let count = value(COUNT)?;
        let count = count.as_u64().or_else(|| count.as_str()?.parse().ok())?;
        let count = usize::try_from(count).ok().filter(|count| (1..=MAX_NODES).contains(count))?;
        let amounts =
            AMOUNTS.into_iter().filter_map(|amount| Some((amount, value(&format!("{ALLOCATABLE}{amount}"))?)));
        Some(Self { count, amounts: amounts.collect(), added })
    }

    /// The text with these Nodes: it gets copies of the last one, or loses the last ones. Nodes that only the controls wrote are
    /// removed if no control is changed anymore.
    pub fn write(&self, text: &str) -> Option<String> {
        let documents = parse(text).ok()?;
        let nodes: Vec<(usize, &Value)> = nodes(&documents).collect();
        if nodes.is_empty() {
            return if self.added.is_empty() { Some(text.to_owned()) } else { with_documents(text, self.added) };
        }
        let indexes: Vec<usize> = nodes.iter().map(|(index, _)| *index).collect();
        let is_added = |node: &Value| is_plain(node) && has_added_document(text, node);
        if self.added.is_empty()
            && nodes.iter().all(|(_, node)| is_added(node))
            && let Some(changed) = without_documents(text, &indexes)
        {
            return Some(changed);
        }
        let has_capacity = |node: &Value| node.pointer("/status/capacity").is_some_and(Value::is_object);
        let with_capacity = nodes.iter().filter(|(_, node)| has_capacity(node)).map(|(index, _)| *index);
        let with_capacity: Vec<usize> = with_capacity.collect();
        let of_nodes = [("allocatable", &indexes), ("capacity", &with_capacity)];
        let amounts = self.amounts.iter().flat_map(|amount| of_nodes.map(|of| (amount, of)));
        let changed = amounts.filter(|(_, (_, indexes))| !indexes.is_empty()).try_fold(
            text.to_owned(),
            |text, ((amount, value), (field, indexes))| {
                let value = Some(*value).filter(|value| !value.is_null());
                with_field_of_all(&text, indexes, &["status", field, *amount], value)
            },
        )?;
        with_count(&changed, self.count)
    }
}

/// The text with as many Nodes: with copies of the last one, or without the last ones.
fn with_count(text: &str, count: usize) -> Option<String> {
    let documents = parse(text).ok()?;
    let nodes: Vec<(usize, &Value)> = nodes(&documents).collect();
    if let Some(surplus) = nodes.get(count..).filter(|surplus| !surplus.is_empty()) {
        let indexes: Vec<usize> = surplus.iter().map(|(index, _)| *index).collect();
        return without_documents(text, &indexes);
    }
    let missing = count.saturating_sub(nodes.len());
    if missing == 0 {
        return Some(text.to_owned());
    }
    let names: Vec<&str> = nodes.iter().map(|(_, node)| name(node)).collect();
    let (_, last) = nodes.last()?;
    let copies: Vec<Value> = more_names(&names, missing).into_iter().map(|name| copy_of(last, &name)).collect();
    with_documents(text, &copies)
}

/// The Nodes, with their positions among the documents.
fn nodes(documents: &[Document]) -> impl Iterator<Item = (usize, &Value)> {
    let objects = documents.iter().map(|document| &document.value).enumerate();
    objects.filter(|(_, object)| kind(object) == "Node")
}

fn kind(object: &Value) -> &str {
    object.get("kind").and_then(Value::as_str).unwrap_or_default()
}

fn name(node: &Value) -> &str {
    node.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
}

/// Names for more nodes that continue those of the others: `node-c` after `node-b`, `pool-8` after `pool-7`.
fn more_names(taken: &[&str], count: usize) -> Vec<String> {
    let last = taken.last().copied().unwrap_or_default();
    let stem = last.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let lettered = last.strip_suffix(|letter: char| letter.is_ascii_lowercase()).filter(|stem| stem.ends_with('-'));
    let stem = match lettered {
        Some(stem) => stem.to_owned(),
        None if stem == last => format!("{last}-"),
        None => stem.to_owned(),
    };
    let letters = ('a'..='z').filter(|_| lettered.is_some()).map(String::from);
    let ends = letters.chain((1_u32..).map(|number| number.to_string()));
    let names = ends.map(|end| format!("{stem}{end}")).filter(|name| !taken.contains(&name.as_str()));
    names.take(count).collect()
}

/// Another node like this one, without what a cluster says about it.
fn copy_of(node: &Value, name: &str) -> Value {
    let mut copy = json!({
        "apiVersion": node.get("apiVersion").cloned().unwrap_or_else(|| json!("v1")),
        "kind": "Node",
        "metadata": { "name": name },
    });
    let mut labels = node.pointer("/metadata/labels").and_then(Value::as_object).cloned().unwrap_or_default();
    labels.remove(HOSTNAME);
    if !labels.is_empty()
        && let Some(metadata) = copy.get_mut("metadata").and_then(Value::as_object_mut)
    {
        metadata.insert("labels".to_owned(), Value::Object(labels));
    }
    let status = ["allocatable", "capacity"].into_iter().filter_map(|field| {
        let amounts = node.get("status")?.get(field).filter(|amounts| amounts.is_object())?;
        Some((field.to_owned(), amounts.clone()))
    });
    let status: Map<String, Value> = status.collect();
    if !status.is_empty()
        && let Some(copy) = copy.as_object_mut()
    {
        copy.insert("status".to_owned(), Value::Object(status));
    }
    copy
}

/// Whether a node has nothing but what the controls write.
fn is_plain(node: &Value) -> bool {
    let mut left = node.clone();
    let status = left.as_object_mut().and_then(|fields| fields.remove("status"));
    let is_amounts = |status: Value| {
        let fields = status.as_object().filter(|fields| fields.len() == 1);
        let amounts = fields.and_then(|fields| fields.get("allocatable")?.as_object());
        amounts.is_some_and(|amounts| amounts.keys().all(|amount| AMOUNTS.contains(&amount.as_str())))
    };
    let plain = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name(node) } });
    left == plain && status.is_none_or(is_amounts)
}

/// An amount as it is typed, since `4` and `"4"` mean the same.
fn as_text(amount: &Value) -> String {
    amount.as_str().map_or_else(|| amount.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_continue_those_that_are_there() {
        for (taken, expected) in [
            (&["node-a", "node-b"][..], ["node-c", "node-d"]),
            (&["node-y", "node-z"], ["node-a", "node-b"]),
            (&["pool-1", "pool-2"], ["pool-3", "pool-4"]),
            (&["pool-1", "pool-3"], ["pool-2", "pool-4"]),
            (&["worker"], ["worker-1", "worker-2"]),
            (&["ip-10-0-0-7.internal"], ["ip-10-0-0-7.internal-1", "ip-10-0-0-7.internal-2"]),
        ] {
            assert_eq!(more_names(taken, 2), expected);
        }
        let letters: Vec<String> = ('a'..='z').map(|letter| format!("node-{letter}")).collect();
        let taken: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(more_names(&taken, 2), ["node-1", "node-2"]);
    }

    #[test]
    fn a_copy_has_the_size_and_the_labels_but_not_what_a_cluster_says() {
        let amounts = json!({ "cpu": "4", "ephemeral-storage": "9Gi" });
        let node = json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": { "name": "a", "uid": "1", "labels": { "pool": "web", HOSTNAME: "a" } },
            "spec": { "unschedulable": true },
            "status": { "allocatable": amounts, "capacity": amounts, "conditions": [] },
        });
        let expected = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": { "name": "b", "labels": { "pool": "web" } },
            "status": { "allocatable": amounts, "capacity": amounts },
        });
        assert_eq!(copy_of(&node, "b"), expected);
        let bare = json!({ "kind": "Node", "metadata": { "name": "a" } });
        assert_eq!(copy_of(&bare, "b"), json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "b" } }));
    }
}
