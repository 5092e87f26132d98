use core::iter;

use super::ranked_pods::{OrdinalClause, WrongIndexClause};
use super::{Clause, ClauseText, RuleText, worst_case};
use crate::cluster::Decision;

/// Every rule there is.
pub fn all() -> impl Iterator<Item = &'static RuleText> {
    Decision::rules().into_iter()
}

/// Every clause there is: those of the rules, those that stand alone, and the clauses in them. A shared one appears more
/// than once.
pub fn clauses() -> impl Iterator<Item = &'static ClauseText> {
    let of_rules = all().flat_map(|rule| rule.operands).flat_map(|operand| operand.clauses);
    let others = worst_case::CLAUSES.iter().copied().flatten();
    let outer = of_rules.chain(WrongIndexClause::TEXTS).chain(OrdinalClause::TEXTS).chain(others);
    outer
        .flat_map(|clause| iter::once(clause).chain(clause.operands.iter().flat_map(|operand| operand.clauses)))
        .copied()
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::all;

    #[test]
    fn ids_are_unique() {
        let mut seen = BTreeSet::new();
        for rule in all() {
            assert!(seen.insert(rule.id), "{} twice", rule.id);
        }
    }
}
