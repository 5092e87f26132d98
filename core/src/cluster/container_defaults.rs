//! What a LimitRange gives containers, and the bounds that it sets.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::object::unstructured::map;
use crate::object::{Container, LimitRangeItem, LimitRangeSpec};

/// The requests and limits that a LimitRange gives containers without their own, and its bounds.
#[derive(Debug, Default)]
pub(super) struct ContainerDefaults {
    requests: Map<String, Value>,
    limits: Map<String, Value>,
    bounds: Vec<LimitRangeItem>,
}

impl ContainerDefaults {
    /// Without a default limit, the maximum is the limit. Without a default request, the request is that limit, or else the minimum.
    ///
    /// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_LimitRangeItem` and
    /// `plugin/pkg/admission/limitranger/admission.go defaultContainerResourceRequirements`
    pub(super) fn of(spec: &LimitRangeSpec) -> Self {
        let mut defaults = Self { bounds: spec.limits.clone(), ..Self::default() };
        for item in spec.limits.iter().filter(|item| item.item_type == "Container") {
            let (mut requests, mut limits) = (Map::new(), Map::new());
            add_missing(&mut limits, item.default_limit.iter());
            add_missing(&mut limits, item.max.iter());
            add_missing(&mut requests, item.default_request.iter());
            add_missing(&mut requests, &limits);
            add_missing(&mut requests, item.min.iter());
            defaults.requests.extend(requests);
            defaults.limits.extend(limits);
        }
        defaults
    }

    /// Its bounds.
    pub(super) fn bounds(&self) -> &[LimitRangeItem] {
        &self.bounds
    }

    /// The limits that it gives.
    pub(super) const fn limits(&self) -> &Map<String, Value> {
        &self.limits
    }

    /// Gives a container what it lacks.
    ///
    /// Upstream: `plugin/pkg/admission/limitranger/admission.go mergeContainerResources`
    pub(super) fn fill_in(&self, container: &mut Container) {
        let given = container.unknown.get("resources");
        let list = |name: &str| given.and_then(|resources| map(resources, name)).cloned().unwrap_or_default();
        let (mut requests, mut limits) = (list("requests"), list("limits"));
        // A container's own limit is its request before a plugin is asked.
        add_missing(&mut requests, &limits);
        add_missing(&mut requests, &self.requests);
        add_missing(&mut limits, &self.limits);
        let mut resources = given.and_then(Value::as_object).cloned().unwrap_or_default();
        let lists = [("requests", requests), ("limits", limits)];
        resources.extend(
            lists.into_iter().filter(|(_, list)| !list.is_empty()).map(|(name, list)| (name.into(), list.into())),
        );
        if !resources.is_empty() {
            container.unknown = container.unknown.with("resources", resources);
        }
    }
}

fn add_missing<'a>(list: &mut Map<String, Value>, amounts: impl IntoIterator<Item = (&'a String, &'a Value)>) {
    for (resource, amount) in amounts {
        list.entry(resource.as_str()).or_insert_with(|| amount.clone());
    }
}
