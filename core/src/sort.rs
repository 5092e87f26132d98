//! One stable sort for all lists. The library's is compiled again, 3 kB of it, for every type and every comparison.

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

fn sort_places(order: &mut [usize], compare: &dyn Fn(usize, usize) -> Ordering) {
    order.sort_by(|first, second| compare(*first, *second));
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
