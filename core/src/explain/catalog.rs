use super::{RuleText, cluster, deployment, job, replica_set};

/// Every rule there is.
pub fn all() -> impl Iterator<Item = &'static RuleText> {
    let groups = deployment::ALL.iter().chain(&[replica_set::ALL, job::ALL]).chain(cluster::ALL);
    groups.copied().flatten().copied()
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
