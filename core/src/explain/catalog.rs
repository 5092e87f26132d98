use super::{RuleText, cluster, deployment, replica_set, user};

/// Every rule there is.
pub fn all() -> impl Iterator<Item = &'static RuleText> {
    let others = [replica_set::ALL, cluster::ALL, user::ALL];
    deployment::ALL.iter().copied().chain(others).flatten().copied()
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
