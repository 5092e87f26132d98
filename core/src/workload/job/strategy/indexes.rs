//! Lists of completion indexes as Jobs write them: `1,3-5,7`.

use alloc::format;
use alloc::string::String;

use crate::go;

/// How many indexes there are; the sum wraps as Go's does.
///
/// # Errors
/// The problem of the first invalid interval.
///
/// Upstream: `pkg/apis/batch/validation/validation.go validateIndexesFormat`
pub(super) fn validate_indexes_format(indexes: &str, completions: i64) -> Result<i32, String> {
    if indexes.is_empty() {
        return Ok(0);
    }
    let mut last: Option<i32> = None;
    let mut total: i32 = 0;
    for interval in indexes.split(',') {
        let (x, y) = parse_index_interval(interval, completions)?;
        if let Some(last) = last
            && last >= x
        {
            return Err(format!("non-increasing order, previous: {last}, current: {x}"));
        }
        total = total.wrapping_add(y.wrapping_sub(x)).wrapping_add(1);
        last = Some(y);
    }
    Ok(total)
}

/// Upstream: `pkg/apis/batch/validation/validation.go parseIndexInterval`
fn parse_index_interval(interval: &str, completions: i64) -> Result<(i32, i32), String> {
    let index = |text: &str| {
        let shown = go::quoted(text);
        let number = go::atoi(text).map_err(|_| format!("cannot convert string to integer for index: {shown}"))?;
        i32::try_from(number).ok().filter(|_| number < completions).ok_or_else(|| format!("too large index: {shown}"))
    };
    let Some((first, last)) = interval.split_once('-') else {
        let x = index(interval)?;
        return Ok((x, x));
    };
    if last.contains('-') {
        let interval = go::quoted(interval);
        return Err(format!(
            "the fragment {interval} violates the requirement that an index interval can have at most two parts separated by '-'"
        ));
    }
    let (x, y) = (index(first)?, index(last)?);
    if x >= y {
        return Err(format!("non-increasing order, previous: {x}, current: {y}"));
    }
    Ok((x, y))
}

/// Whether an index has both completed and failed; intervals that can't be read are reported elsewhere.
///
/// # Errors
/// The first index in both lists.
///
/// Upstream: `pkg/apis/batch/validation/validation.go validateFailedIndexesNotOverlapCompleted`
pub(super) fn validate_failed_indexes_not_overlap_completed(
    completed: &str,
    failed: &str,
    completions: i64,
) -> Result<(), String> {
    if completed.is_empty() || failed.is_empty() {
        return Ok(());
    }
    let mut completed = completed.split(',').map(|interval| parse_index_interval(interval, completions));
    let mut failed = failed.split(',').map(|interval| parse_index_interval(interval, completions));
    let (mut a, mut b) = (completed.next(), failed.next());
    while let (Some(left), Some(right)) = (&a, &b) {
        match (left, right) {
            (Err(_), _) => a = completed.next(),
            (_, Err(_)) => b = failed.next(),
            (Ok((c_x, c_y)), Ok((f_x, f_y))) => {
                if c_x <= f_y && f_x <= c_y {
                    return Err(format!("failedIndexes and completedIndexes overlap at index: {}", c_x.max(f_x)));
                }
                if c_x <= f_x {
                    a = completed.next();
                } else {
                    b = failed.next();
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_counted() {
        assert_eq!(validate_indexes_format("", 5), Ok(0));
        assert_eq!(validate_indexes_format("0,2-4", 5), Ok(4));
        for (text, error) in [
            ("5", "too large index: \"5\""),
            ("1-5", "too large index: \"5\""),
            ("3-1", "non-increasing order, previous: 3, current: 1"),
            ("2,1", "non-increasing order, previous: 2, current: 1"),
            ("a", "cannot convert string to integer for index: \"a\""),
            ("1,", "cannot convert string to integer for index: \"\""),
            (
                "1-2-3",
                "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated by '-'",
            ),
        ] {
            assert_eq!(validate_indexes_format(text, 5), Err(error.into()), "{text}");
        }
    }

    #[test]
    fn an_index_in_both_lists_is_an_error() {
        let check = validate_failed_indexes_not_overlap_completed;
        assert_eq!(check("0-2,5", "3-4,6", 10), Ok(()));
        assert_eq!(check("0-2,x,5-7", "3,6", 10), Err("failedIndexes and completedIndexes overlap at index: 6".into()));
    }
}
