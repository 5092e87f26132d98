//! The items of a Kubernetes `List`, each as a document of its own.

use core::mem;

use serde_json::Value;

use crate::error::invalid_value;
use crate::{Document, Error, ErrorKind, Parsed};

/// Adds a document to the objects or, if it is a list, its items. Items of a typed list (`PodList`) without a kind get the kind
/// in the name of the list. The list is kept without its items.
///
/// Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/helpers.go decodeToList
pub(crate) fn push_items(mut document: Document, parsed: &mut Parsed) {
    let item_kind = str_field(&document.value, "kind").and_then(|kind| kind.strip_suffix("List")).map(str::to_owned);
    let items = match document.value.get_mut("items") {
        Some(Value::Array(items)) if item_kind.is_some() => Some(mem::take(items)),
        Some(Value::Null) if item_kind.is_some() => Some(Vec::new()),
        _ => None,
    };
    let (Some(item_kind), Some(items)) = (item_kind, items) else {
        parsed.objects.push(document);
        return;
    };
    let version = str_field(&document.value, "apiVersion").map(str::to_owned);
    for (index, mut value) in items.into_iter().enumerate() {
        let positions = document.positions.item(index);
        let Some(item) = value.as_object_mut() else {
            let message = invalid_value(&value, "an object");
            let error = Error::new(ErrorKind::NotAnObject, Some(positions.nearest("")), message);
            parsed.errors.push(error.below(&format!("items[{index}]")));
            continue;
        };
        if !item_kind.is_empty() && !item.contains_key("kind") {
            item.insert("kind".to_owned(), item_kind.as_str().into());
            if let (Some(version), false) = (&version, item.contains_key("apiVersion")) {
                item.insert("apiVersion".to_owned(), version.as_str().into());
            }
        }
        parsed.objects.push(Document { value, positions });
    }
    parsed.lists.push(document);
}

fn str_field<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}
