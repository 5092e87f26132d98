//! One stable sort for all lists. The library's has 4 kB, and is compiled again for every type and every
//! comparison.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem;

/// Sorts a list; what compares as equal keeps its order.
pub(crate) fn sort_by<T>(list: &mut Vec<T>, compare: &dyn Fn(&T, &T) -> Ordering) {
    // Most lists come sorted: these cost no allocation.
    if list.is_sorted_by(|first, second| compare(first, second) != Ordering::Greater) {
        return;
    }
    let mut order: Vec<usize> = (0..list.len()).collect();
    sort_places(&mut order, &|first, second| match (list.get(first), list.get(second)) {
        (Some(first), Some(second)) => compare(first, second),
        _ => Ordering::Equal,
    });
    let mut items: Vec<Option<T>> = mem::take(list).into_iter().map(Some).collect();
    list.extend(order.into_iter().filter_map(|place| items.get_mut(place).and_then(Option::take)));
}

/// A merge sort, from pairs upwards.
fn sort_places(order: &mut Vec<usize>, compare: &dyn Fn(usize, usize) -> Ordering) {
    let mut width: usize = 1;
    while width < order.len() {
        let mut merged = Vec::with_capacity(order.len());
        for both in order.chunks(width.saturating_mul(2)) {
            let (left, right) = both.split_at(width.min(both.len()));
            let mut right = right.iter().peekable();
            for place in left {
                while let Some(other) = right.next_if(|other| compare(**other, *place) == Ordering::Less) {
                    merged.push(*other);
                }
                merged.push(*place);
            }
            merged.extend(right);
        }
        *order = merged;
        width = width.saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::sort_by;

    proptest! {
        #[test]
        fn sorts_as_the_library_does(list: Vec<(u8, u32)>) {
            let (mut ours, mut theirs) = (list.clone(), list);
            sort_by(&mut ours, &|a, b| a.0.cmp(&b.0));
            theirs.sort_by_key(|item| item.0);
            prop_assert_eq!(ours, theirs);
        }
    }
}
