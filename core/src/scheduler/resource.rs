//! Amounts of resources as the scheduler counts them.

use alloc::string::String;

use litemap::LiteMap;

use crate::apiserver::is_huge_pages;
use crate::object::quantity::ONE;

/// What a node has of a resource that it does not limit: so much that no requests reach it, and little enough to multiply by 100.
pub const UNLIMITED: i64 = i64::MAX / 128;

/// Amounts of resources.
///
/// Upstream: `pkg/scheduler/framework/types.go Resource`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// CPU, in thousandths.
    pub milli_cpu: i64,
    /// Memory, in bytes.
    pub memory: i64,
    /// Ephemeral storage, in bytes.
    pub ephemeral_storage: i64,
    /// The number of pods.
    pub pods: i64,
    /// Extended resources, huge pages and the like, in whole units.
    pub scalar: LiteMap<String, i64>,
}

impl Resources {
    /// Adds an amount in billionths, rounded up to what is counted.
    ///
    /// Upstream: `pkg/scheduler/framework/types.go Resource.Add`
    pub fn put(&mut self, name: &str, nanos: i128) {
        let units = rounded_up(nanos, ONE);
        match name {
            "cpu" => self.milli_cpu = self.milli_cpu.saturating_add(milli(nanos)),
            "memory" => self.memory = self.memory.saturating_add(units),
            "pods" => self.pods = self.pods.saturating_add(units),
            "ephemeral-storage" => self.ephemeral_storage = self.ephemeral_storage.saturating_add(units),
            scalar if is_scalar(scalar) => self.add_scalar(scalar, units),
            _ => {}
        }
    }

    /// Adds what others ask for that many times, except for the number of pods.
    pub fn add(&mut self, other: &Self, times: i64) {
        let add = |own: &mut i64, others: i64| *own = own.saturating_add(others.saturating_mul(times));
        add(&mut self.milli_cpu, other.milli_cpu);
        add(&mut self.memory, other.memory);
        add(&mut self.ephemeral_storage, other.ephemeral_storage);
        for (name, amount) in &other.scalar {
            self.add_scalar(name, amount.saturating_mul(times));
        }
    }

    /// The amount of an extended resource and the like; none if it is not named.
    pub fn scalar(&self, name: &str) -> Option<i64> {
        self.scalar.get(name).copied()
    }

    fn add_scalar(&mut self, name: &str, amount: i64) {
        if let Some(own) = self.scalar.get_mut(name) {
            *own = own.saturating_add(amount);
        } else {
            self.scalar.insert(name.into(), amount);
        }
    }
}

/// An amount in billionths as thousandths, rounded up.
///
/// Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go Quantity.MilliValue`
pub(super) fn milli(nanos: i128) -> i64 {
    const MILLI: i128 = 1_000_000;
    rounded_up(nanos, MILLI)
}

/// An amount in billionths as whole units, rounded up.
///
/// Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go Quantity.Value`
pub(super) fn whole(nanos: i128) -> i64 {
    rounded_up(nanos, ONE)
}

fn rounded_up(nanos: i128, unit: i128) -> i64 {
    let floor = nanos.checked_div_euclid(unit).unwrap_or_default();
    let rest = nanos.checked_rem_euclid(unit).unwrap_or_default();
    let up = floor.saturating_add(i128::from(rest > 0));
    i64::try_from(up).unwrap_or(if up < 0 { i64::MIN } else { i64::MAX })
}

/// Whether the scheduler counts a resource by its name: extended ones, huge pages, those of `kubernetes.io`, and volumes to attach.
///
/// Upstream: `pkg/scheduler/util/utils.go IsScalarResourceName`
fn is_scalar(name: &str) -> bool {
    let is_native = name.contains("kubernetes.io/");
    let is_extended = name.contains('/') && !is_native && !name.starts_with("requests.");
    is_extended || is_native || is_huge_pages(name) || name.starts_with("attachable-volumes-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_up_to_what_is_counted() {
        for (nanos, thousandths, units) in
            [(0, 0, 0), (1, 1, 1), (1_000_000, 1, 1), (1_000_001, 2, 1), (1_500_000_000, 1500, 2), (-1, 0, 0)]
        {
            assert_eq!((milli(nanos), whole(nanos)), (thousandths, units), "{nanos}");
        }
    }
}
