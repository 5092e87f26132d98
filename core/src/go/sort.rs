//! Go's `sort.Sort`, step for step: a pattern-defeating quicksort. The order in which pods and old ReplicaSets are deleted
//! is what this algorithm makes of a comparator that is no strict weak order, so any other sort would break ties
//! differently.
//!
//! Upstream: Go 1.26 `sort/sort.go`, `sort/zsortinterface.go`
//!
//! Ported from the Go standard library (BSD-3-Clause, see NOTICE).
#![expect(
    clippy::arithmetic_side_effects,
    reason = "all positions stay within the slice, whatever less answers: as in Go, each step down is guarded by a lower bound"
)]

use alloc::vec::Vec;

/// Up to this many items are sorted by insertion, which moves nothing where all neighbors are in order.
pub const MAX_INSERTION: usize = 12;

/// What [`Data::choose_pivot`] found out about the order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SortedHint {
    Unknown,
    Increasing,
    Decreasing,
}

/// Sorts `items` with the comparisons and swaps that Go's `sort.Sort` would make. `less` may be inconsistent: the result
/// is then some permutation, the same as Go's.
///
/// Upstream: Go `sort/sort.go Sort`
pub fn sort<T>(items: &mut [T], less: impl FnMut(&T, &T) -> bool) {
    sort_first(items, usize::MAX, less);
}

/// Puts the first `count` items where [`sort`] would put them. The two sides of a partition are sorted without regard to each
/// other, so what lies behind those items need not be sorted.
pub fn sort_first<T>(items: &mut [T], count: usize, less: impl FnMut(&T, &T) -> bool) {
    let n = items.len();
    if n <= 1 {
        return;
    }
    let limit = bits_len(n);
    Data { items, count, less }.pdqsort(0, n, limit);
}

/// The indexes 0 to `count` in the order that `sort` gives the items. Indexes are lighter to swap than items, and all
/// callers share one instance of the sort.
pub fn order(count: usize, less: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    sort(&mut order, |first, second| less(*first, *second));
    order
}

/// Go's `bits.Len`: how many bits the number needs.
const fn bits_len(n: usize) -> u32 {
    usize::BITS - n.leading_zeros()
}

/// Upstream: Go `sort/sort.go Interface`
struct Data<'a, T, F> {
    items: &'a mut [T],
    /// How many of the first items must be in their places.
    count: usize,
    less: F,
}

impl<T, F: FnMut(&T, &T) -> bool> Data<'_, T, F> {
    fn less(&mut self, i: usize, j: usize) -> bool {
        match (self.items.get(i), self.items.get(j)) {
            (Some(first), Some(second)) => (self.less)(first, second),
            _ => false,
        }
    }

    fn swap(&mut self, i: usize, j: usize) {
        if i < self.items.len() && j < self.items.len() {
            self.items.swap(i, j);
        }
    }

    /// Upstream: Go `sort/zsortinterface.go insertionSort`
    fn insertion_sort(&mut self, a: usize, b: usize) {
        for i in a + 1..b {
            let mut j = i;
            while j > a && self.less(j, j - 1) {
                self.swap(j, j - 1);
                j -= 1;
            }
        }
    }

    /// Upstream: Go `sort/zsortinterface.go siftDown`
    fn sift_down(&mut self, lo: usize, hi: usize, first: usize) {
        let mut root = lo;
        loop {
            let mut child = 2 * root + 1;
            if child >= hi {
                return;
            }
            if child + 1 < hi && self.less(first + child, first + child + 1) {
                child += 1;
            }
            if !self.less(first + root, first + child) {
                return;
            }
            self.swap(first + root, first + child);
            root = child;
        }
    }

    /// Upstream: Go `sort/zsortinterface.go heapSort`
    fn heap_sort(&mut self, a: usize, b: usize) {
        let hi = b - a;
        for i in (0..=(hi - 1) / 2).rev() {
            self.sift_down(i, hi, a);
        }
        for i in (0..hi).rev() {
            self.swap(a, a + i);
            self.sift_down(0, i, a);
        }
    }

    /// Upstream: Go `sort/zsortinterface.go pdqsort`
    fn pdqsort(&mut self, mut a: usize, mut b: usize, mut limit: u32) {
        let mut was_balanced = true;
        let mut was_partitioned = true;
        // Here upstream goes on to the end.
        while a < self.count {
            let length = b - a;
            if length <= MAX_INSERTION {
                self.insertion_sort(a, b);
                return;
            }
            // Too many bad pivots.
            if limit == 0 {
                self.heap_sort(a, b);
                return;
            }
            if !was_balanced {
                self.break_patterns(a, b);
                limit -= 1;
            }
            let (mut pivot, mut hint) = self.choose_pivot(a, b);
            if hint == SortedHint::Decreasing {
                self.reverse_range(a, b);
                pivot = (b - 1) - (pivot - a);
                hint = SortedHint::Increasing;
            }
            // Probably sorted already.
            if was_balanced && was_partitioned && hint == SortedHint::Increasing && self.partial_insertion_sort(a, b) {
                return;
            }
            // Probably many equal elements.
            if a > 0 && !self.less(a - 1, pivot) {
                a = self.partition_equal(a, b, pivot);
                continue;
            }
            let (mid, already_partitioned) = self.partition(a, b, pivot);
            was_partitioned = already_partitioned;
            let (left, right) = (mid - a, b - mid);
            let balance_threshold = length / 8;
            if left < right {
                was_balanced = left >= balance_threshold;
                self.pdqsort(a, mid, limit);
                a = mid + 1;
            } else {
                was_balanced = right >= balance_threshold;
                self.pdqsort(mid + 1, b, limit);
                b = mid;
            }
        }
    }

    /// Upstream: Go `sort/zsortinterface.go partition`
    fn partition(&mut self, a: usize, b: usize, pivot: usize) -> (usize, bool) {
        self.swap(a, pivot);
        let (mut i, mut j) = (a + 1, b - 1);
        self.approach(a, &mut i, &mut j);
        if i > j {
            self.swap(j, a);
            return (j, true);
        }
        self.swap(i, j);
        i += 1;
        j -= 1;
        loop {
            self.approach(a, &mut i, &mut j);
            if i > j {
                break;
            }
            self.swap(i, j);
            i += 1;
            j -= 1;
        }
        self.swap(j, a);
        (j, false)
    }

    /// Moves i up and j down past the items that are already on the right side of the pivot (at `a`). i starts above `a`, so j stops at
    /// `a` at the lowest.
    fn approach(&mut self, a: usize, i: &mut usize, j: &mut usize) {
        while *i <= *j && self.less(*i, a) {
            *i += 1;
        }
        while *i <= *j && !self.less(*j, a) {
            *j -= 1;
        }
    }

    /// Upstream: Go `sort/zsortinterface.go partitionEqual`
    fn partition_equal(&mut self, a: usize, b: usize, pivot: usize) -> usize {
        self.swap(a, pivot);
        let (mut i, mut j) = (a + 1, b - 1);
        loop {
            while i <= j && !self.less(a, i) {
                i += 1;
            }
            while i <= j && self.less(a, j) {
                j -= 1;
            }
            if i > j {
                return i;
            }
            self.swap(i, j);
            i += 1;
            j -= 1;
        }
    }

    /// Upstream: Go `sort/zsortinterface.go partialInsertionSort`
    fn partial_insertion_sort(&mut self, a: usize, b: usize) -> bool {
        const MAX_STEPS: usize = 5;
        const SHORTEST_SHIFTING: usize = 50;
        let mut i = a + 1;
        for _ in 0..MAX_STEPS {
            while i < b && !self.less(i, i - 1) {
                i += 1;
            }
            if i == b {
                return true;
            }
            if b - a < SHORTEST_SHIFTING {
                return false;
            }
            self.swap(i, i - 1);
            if i - a >= 2 {
                // Down to 1, not to a: so it is upstream.
                for j in (1..i).rev() {
                    if !self.less(j, j - 1) {
                        break;
                    }
                    self.swap(j, j - 1);
                }
            }
            if b - i >= 2 {
                for j in i + 1..b {
                    if !self.less(j, j - 1) {
                        break;
                    }
                    self.swap(j, j - 1);
                }
            }
        }
        false
    }

    /// Upstream: Go `sort/zsortinterface.go breakPatterns`
    fn break_patterns(&mut self, a: usize, b: usize) {
        let length = b - a;
        if length < 8 {
            return;
        }
        let mut random = u64::try_from(length).unwrap_or(u64::MAX);
        let mask = (1_u64 << bits_len(length)) - 1;
        let middle = a + (length / 4) * 2;
        for index in middle - 1..=middle + 1 {
            // Upstream: Go `sort/sort.go xorshift.Next`
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut other = usize::try_from(random & mask).unwrap_or_default();
            if other >= length {
                other -= length;
            }
            self.swap(index, a + other);
        }
    }

    /// Upstream: Go `sort/zsortinterface.go choosePivot`
    fn choose_pivot(&mut self, a: usize, b: usize) -> (usize, SortedHint) {
        const SHORTEST_NINTHER: usize = 50;
        const MAX_SWAPS: u32 = 4 * 3;
        let length = b - a;
        let mut swaps = 0;
        let (mut i, mut j, mut k) = (a + length / 4, a + length / 4 * 2, a + length / 4 * 3);
        if length >= 8 {
            if length >= SHORTEST_NINTHER {
                i = self.median_adjacent(i, &mut swaps);
                j = self.median_adjacent(j, &mut swaps);
                k = self.median_adjacent(k, &mut swaps);
            }
            j = self.median(i, j, k, &mut swaps);
        }
        let hint = match swaps {
            0 => SortedHint::Increasing,
            MAX_SWAPS => SortedHint::Decreasing,
            _ => SortedHint::Unknown,
        };
        (j, hint)
    }

    /// Upstream: Go `sort/zsortinterface.go order2`
    fn order2(&mut self, a: usize, b: usize, swaps: &mut u32) -> (usize, usize) {
        if self.less(b, a) {
            *swaps += 1;
            return (b, a);
        }
        (a, b)
    }

    /// Upstream: Go `sort/zsortinterface.go median`
    fn median(&mut self, a: usize, b: usize, c: usize, swaps: &mut u32) -> usize {
        let (a, b) = self.order2(a, b, swaps);
        let (b, _) = self.order2(b, c, swaps);
        let (_, b) = self.order2(a, b, swaps);
        b
    }

    /// Upstream: Go `sort/zsortinterface.go medianAdjacent`
    fn median_adjacent(&mut self, a: usize, swaps: &mut u32) -> usize {
        self.median(a - 1, a, a + 1, swaps)
    }

    /// Upstream: Go `sort/zsortinterface.go reverseRange`
    fn reverse_range(&mut self, a: usize, b: usize) {
        if let Some(range) = self.items.get_mut(a..b) {
            range.reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::{sort, sort_first};

    proptest! {
        #[test]
        fn sorts_with_a_consistent_comparator(mut items in prop::collection::vec(0_u16..200, 0..600)) {
            let mut expected = items.clone();
            expected.sort_unstable();
            sort(&mut items, |a, b| a < b);
            prop_assert_eq!(items, expected);
        }

        #[test]
        fn sorts_what_is_nearly_sorted(length in 0_usize..400, swaps in prop::collection::vec((0_usize..400, 0_usize..400), 0..8), reversed: bool) {
            let mut items: Vec<usize> = (0..length).collect();
            for (i, j) in swaps {
                if i < length && j < length {
                    items.swap(i, j);
                }
            }
            if reversed {
                items.reverse();
            }
            sort(&mut items, |a, b| a < b);
            prop_assert_eq!(items, (0..length).collect::<Vec<_>>());
        }

        #[test]
        fn sorts_the_first_as_all(length in 0_u64..2000, values in 1_u64..2000, is_order: bool, seed: u64) {
            let value = |item: u64| (item ^ seed).wrapping_mul(11_400_714_819_323_198_485) >> 17;
            let less = |a: &u64, b: &u64| {
                if is_order { value(*a) % values < value(*b) % values } else { value(*a ^ (*b << 20)) % 7 < values % 7 }
            };
            let mut all: Vec<u64> = (0..length).collect();
            sort(&mut all, less);
            for count in [0, 1, 2, 13, 50, 300, 1999] {
                let mut items: Vec<u64> = (0..length).collect();
                sort_first(&mut items, count, less);
                let count = count.min(items.len());
                prop_assert_eq!(&items[..count], &all[..count]);
            }
        }

        /// On this rests that pods which are alike need no ranking.
        #[test]
        fn leaves_what_it_cannot_tell_apart(length in 0_usize..3000) {
            let mut items: Vec<usize> = (0..length).collect();
            sort(&mut items, |_, _| false);
            prop_assert!(items.is_sorted());
        }

        #[test]
        fn any_comparator_gives_a_permutation(length in 0_usize..300, mut state: u64) {
            let mut items: Vec<usize> = (0..length).collect();
            sort(&mut items, |_, _| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state >> 63 == 1
            });
            items.sort_unstable();
            prop_assert_eq!(items, (0..length).collect::<Vec<_>>());
        }
    }

    /// The order of the many equal elements of seeded slices, folded (FNV-1a), against what Go 1.26's `sort.Sort` gives
    /// for the same slices; the third comparator is no order at all.
    #[test]
    fn same_order_as_go() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut folded = 14_695_981_039_346_656_037_u64;
        for round in 0..3000_u64 {
            let length = next() % 700;
            let values = 1 + next() % (1 + length);
            let mut items: Vec<(u64, u64)> = (0..length)
                .map(|index| {
                    let value = match round % 4 {
                        0 => next() % values,
                        1 => index / 3,
                        2 => (length - index) / 2,
                        _ => (index * 7 / 2) % values,
                    };
                    (value, index)
                })
                .collect();
            match round % 3 {
                0 => sort(&mut items, |a, b| a.0 < b.0),
                1 => sort(&mut items, |a, b| a.0 / 4 < b.0 / 4),
                _ => sort(&mut items, |a, b| (a.0 ^ b.0) % 3 == 1 && a.1 % 5 <= b.1 % 5),
            }
            for (_, index) in &items {
                folded = (folded ^ index).wrapping_mul(1_099_511_628_211);
            }
        }
        assert_eq!(folded, GO);
    }

    const GO: u64 = 3_946_524_261_992_309_934;
}
