//! Work that uses one core, such as Brotli, on several items at the same time.

use std::sync::Mutex;
use std::thread;

use anyhow::{Result, bail};

/// Calls `work` on each item, on as many at a time as there are cores. Returns the results in the order of the items.
///
/// # Errors
/// The error of the first item that failed. It does not interrupt the work on the others.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let queue = Mutex::new(items.iter().enumerate());
    let next = || queue.lock().ok()?.next();
    let work_on_queue = || {
        let mut results = Vec::new();
        while let Some((index, item)) = next() {
            results.push((index, work(item)));
        }
        results
    };
    let shares: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores.min(items.len())).map(|_| scope.spawn(work_on_queue)).collect();
        threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let mut results = Vec::new();
    for share in shares {
        let Ok(share) = share else { bail!("a thread panicked") };
        results.extend(share);
    }
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::map;

    #[test]
    fn the_results_have_the_order_of_the_items() {
        let items: Vec<u32> = (0..100).collect();
        assert_eq!(map(&items, |item| Ok(*item)).unwrap(), items);
        assert!(map(&[0_u32; 0], |item| Ok(*item)).unwrap().is_empty());
    }

    #[test]
    fn the_error_is_the_one_of_the_first_item_that_failed() {
        let odd = map(&[1, 2, 3, 4], |item| (item % 2 == 1).then_some(*item).context(*item));
        assert_eq!(odd.unwrap_err().to_string(), "2");
    }
}
