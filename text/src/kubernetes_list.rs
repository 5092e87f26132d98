//! The items of a Kubernetes `List`, each as a document of its own.

use core::mem;

use serde_json::Value;

use crate::error::invalid_value;
use crate::position::{Children, PositionTree};
use crate::{Document, Error, ErrorKind};

/// Adds a document to `documents` or, if it is a list, its items. Items of a typed list (`PodList`) without a kind get the kind
/// in the name of the list. Returns the list, without its items.
///
/// Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/helpers.go decodeToList
pub(crate) fn push_items(mut document: Document, documents: &mut Vec<Document>) -> Result<Option<Document>, Error> {
    let item_kind = str_field(&document.value, "kind").and_then(|kind| kind.strip_suffix("List")).map(str::to_owned);
    let items = match document.value.get_mut("items") {
        Some(Value::Array(items)) if item_kind.is_some() => Some(mem::take(items)),
        _ => None,
    };
    let (Some(item_kind), Some(items)) = (item_kind, items) else {
        documents.push(document);
        return Ok(None);
    };
    let version = str_field(&document.value, "apiVersion").map(str::to_owned);
    let item_positions = match document.positions.child("items").map(|items| items.children.clone()) {
        Some(Children::List(item_positions)) => item_positions,
        _ => Vec::new(),
    };
    for (index, mut value) in items.into_iter().enumerate() {
        let positions = item_positions
            .get(index)
            .cloned()
            .unwrap_or(PositionTree { position: document.positions.position, children: Children::Scalar });
        let Some(item) = value.as_object_mut() else {
            let message = invalid_value(&value, "an object");
            return Err(
                Error::new(ErrorKind::NotAnObject, Some(positions.position), message).below(&format!("items[{index}]"))
            );
        };
        if !item_kind.is_empty() && !item.contains_key("kind") {
            item.insert("kind".to_owned(), item_kind.as_str().into());
            if let (Some(version), false) = (&version, item.contains_key("apiVersion")) {
                item.insert("apiVersion".to_owned(), version.as_str().into());
            }
        }
        documents.push(Document { value, positions });
    }
    Ok(Some(document))
}

fn str_field<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}
