//! Unified diffs, as the API server shows two specs that differ.
//! Upstream: `k8s.io/apimachinery/pkg/util/diff/diff.go`, which has them of `github.com/pmezard/go-difflib/difflib/difflib.go`,
//! a port of Python's difflib
//!
//! Ported from `github.com/pmezard/go-difflib` (BSD-3-Clause, see NOTICE).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

const CONTEXT: usize = 3;

/// A run of equal lines, and where it begins in both texts.
#[derive(Clone, Copy, Debug)]
struct Match {
    a: usize,
    b: usize,
    size: usize,
}

/// A run of lines that are equal in both texts (`same`), or that replace one another.
#[derive(Clone, Debug)]
struct Operation {
    same: bool,
    a: Range<usize>,
    b: Range<usize>,
}

/// The diff of two texts; empty where they are one.
/// Upstream: `github.com/pmezard/go-difflib/difflib/difflib.go WriteUnifiedDiff`
pub(crate) fn unified_diff(a: &str, b: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split('\n').collect(), b.split('\n').collect());
    let mut out = String::new();
    let lines = |sign: char, lines: Option<&[&str]>, out: &mut String| {
        for line in lines.into_iter().flatten() {
            out.push(sign);
            out.push_str(line);
            out.push('\n');
        }
    };
    for group in grouped(operations(&a, &b)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let (range_a, range_b) = (first.a.start..last.a.end, first.b.start..last.b.end);
        out.push_str(&format!("@@ -{} +{} @@\n", range(&range_a), range(&range_b)));
        for operation in group {
            if operation.same {
                lines(' ', a.get(operation.a), &mut out);
            } else {
                lines('-', a.get(operation.a), &mut out);
                lines('+', b.get(operation.b), &mut out);
            }
        }
    }
    out
}

/// Upstream: `github.com/pmezard/go-difflib/difflib/difflib.go formatRangeUnified`
fn range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.end),
        length => format!("{},{length}", lines.start.saturating_add(1)),
    }
}

/// The positions of a line of `a` in `b`, in order. Lines that are frequent in a long text are ignored.
///
/// Upstream: `github.com/pmezard/go-difflib/difflib/difflib.go chainB`
fn line_numbers<'a>(line: &'a str, b: &'a [&'a str]) -> impl Iterator<Item = usize> {
    const LONG: usize = 200;
    let same = move || b.iter().enumerate().filter(move |(_, other)| **other == line).map(|(index, _)| index);
    let most = b.len().checked_div(100).unwrap_or_default().saturating_add(1);
    let popular = b.len() >= LONG && same().nth(most).is_some();
    same().take(if popular { 0 } else { usize::MAX })
}

/// Upstream: `github.com/pmezard/go-difflib/difflib/difflib.go findLongestMatch`, without junk
fn longest_match(a: &[&str], b: &[&str], in_a: &Range<usize>, in_b: &Range<usize>) -> Match {
    let mut best = Match { a: in_a.start, b: in_b.start, size: 0 };
    // How long a match is that ends with the line before, for each line of `b`.
    let mut lengths: Vec<usize> = Vec::from_iter((0..=b.len()).map(|_| 0));
    for i in in_a.clone() {
        let mut now: Vec<usize> = Vec::from_iter((0..=b.len()).map(|_| 0));
        let Some(line) = a.get(i) else { break };
        for j in line_numbers(line, b).filter(|j| in_b.contains(j)) {
            let size = lengths.get(j).copied().unwrap_or_default().saturating_add(1);
            if let Some(slot) = now.get_mut(j.saturating_add(1)) {
                *slot = size;
            }
            if size > best.size {
                let start = |end: usize| end.saturating_add(1).saturating_sub(size);
                best = Match { a: start(i), b: start(j), size };
            }
        }
        lengths = now;
    }
    let same = |i: usize, j: usize| a.get(i).is_some() && a.get(i) == b.get(j);
    while best.a > in_a.start && best.b > in_b.start && same(best.a.saturating_sub(1), best.b.saturating_sub(1)) {
        best = Match { a: best.a.saturating_sub(1), b: best.b.saturating_sub(1), size: best.size.saturating_add(1) };
    }
    let (mut i, mut j) = (best.a.saturating_add(best.size), best.b.saturating_add(best.size));
    while i < in_a.end && j < in_b.end && same(i, j) {
        best.size = best.size.saturating_add(1);
        (i, j) = (i.saturating_add(1), j.saturating_add(1));
    }
    best
}

/// Upstream: `github.com/pmezard/go-difflib/difflib/difflib.go GetMatchingBlocks`
fn matching(a: &[&str], b: &[&str], in_a: Range<usize>, in_b: Range<usize>, found: &mut Vec<Match>) {
    let best = longest_match(a, b, &in_a, &in_b);
    if best.size == 0 {
        return;
    }
    if in_a.start < best.a && in_b.start < best.b {
        matching(a, b, in_a.start..best.a, in_b.start..best.b, found);
    }
    match found.last_mut() {
        Some(last) if last.a.saturating_add(last.size) == best.a && last.b.saturating_add(last.size) == best.b => {
            last.size = last.size.saturating_add(best.size);
        }
        _ => found.push(best),
    }
    let (i, j) = (best.a.saturating_add(best.size), best.b.saturating_add(best.size));
    if i < in_a.end && j < in_b.end {
        matching(a, b, i..in_a.end, j..in_b.end, found);
    }
}

/// Upstream: `github.com/pmezard/go-difflib/difflib/difflib.go GetOpCodes`
fn operations(a: &[&str], b: &[&str]) -> Vec<Operation> {
    let mut found = Vec::new();
    matching(a, b, 0..a.len(), 0..b.len(), &mut found);
    found.push(Match { a: a.len(), b: b.len(), size: 0 });
    let mut operations = Vec::new();
    let (mut i, mut j) = (0, 0);
    for Match { a, b, size } in found {
        if i < a || j < b {
            operations.push(Operation { same: false, a: i..a, b: j..b });
        }
        (i, j) = (a.saturating_add(size), b.saturating_add(size));
        if size > 0 {
            operations.push(Operation { same: true, a: a..i, b: b..j });
        }
    }
    operations
}

/// The last lines of a stretch, and the first.
fn tail(lines: &Range<usize>) -> Range<usize> {
    lines.start.max(lines.end.saturating_sub(CONTEXT))..lines.end
}

fn head(lines: &Range<usize>) -> Range<usize> {
    lines.start..lines.end.min(lines.start.saturating_add(CONTEXT))
}

/// Changes that are near one another, with their context lines.
/// Upstream: `github.com/pmezard/go-difflib/difflib/difflib.go GetGroupedOpCodes`
fn grouped(mut operations: Vec<Operation>) -> Vec<Vec<Operation>> {
    if let Some(first) = operations.first_mut().filter(|first| first.same) {
        (first.a, first.b) = (tail(&first.a), tail(&first.b));
    }
    if let Some(last) = operations.last_mut().filter(|last| last.same) {
        (last.a, last.b) = (head(&last.a), head(&last.b));
    }
    let mut groups = Vec::new();
    let mut group: Vec<Operation> = Vec::new();
    for mut operation in operations {
        if operation.same && operation.a.len() > CONTEXT.saturating_add(CONTEXT) {
            group.push(Operation { same: true, a: head(&operation.a), b: head(&operation.b) });
            groups.push(core::mem::take(&mut group));
            (operation.a, operation.b) = (tail(&operation.a), tail(&operation.b));
        }
        group.push(operation);
    }
    if !matches!(group.as_slice(), [] | [Operation { same: true, .. }]) {
        groups.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_three_lines_around_them() {
        let text = |lines: &str| lines.chars().flat_map(|line| [line, '\n']).collect::<String>();
        assert_eq!(
            unified_diff(&text("abcdefghijklmnop"), &text("abcdeXghijklmno")),
            "@@ -3,7 +3,7 @@\n c\n d\n e\n-f\n+X\n g\n h\n i\n@@ -13,5 +13,4 @@\n m\n n\n o\n-p\n \n"
        );
        assert_eq!(unified_diff("a", "a"), "");
        assert_eq!(unified_diff("a", "b"), "@@ -1 +1 @@\n-a\n+b\n");
    }
}
