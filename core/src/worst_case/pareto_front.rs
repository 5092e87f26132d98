use alloc::vec::Vec;

use super::replica_sets::Pair;

/// How many old and new pods there are at once, as far as no other moment has as many of both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParetoFront(Vec<Pair<i32>>);

impl ParetoFront {
    pub(super) fn add(&mut self, pods: Pair<i32>) {
        let covers = |a: &Pair<i32>, b: &Pair<i32>| a.old >= b.old && a.new >= b.new;
        if self.0.iter().any(|known| covers(known, &pods)) {
            return;
        }
        self.0.retain(|known| !covers(&pods, known));
        self.0.push(pods);
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = Pair<i32>> {
        self.0.iter().copied()
    }
}
