use super::{Rule, cluster, deployment, replica_set, user};

/// Every rule there is.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let others = [replica_set::ALL, cluster::ALL, user::ALL];
    deployment::ALL.iter().copied().chain(others).flatten().copied()
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::all;

    #[test]
    fn ids_are_unique_and_texts_name_all_their_operands() {
        let mut seen = BTreeSet::new();
        for rule in all() {
            assert!(seen.insert(rule.id), "{} twice", rule.id);
            let texts = rule.formula.iter().chain([&rule.sentence]);
            let positions = texts.flat_map(|text| text.split('{').skip(1)).map(|rest| rest.split('}').next().unwrap());
            let used: BTreeSet<usize> = positions.map(|position| position.parse().unwrap()).collect();
            assert!(used.into_iter().eq(0..rule.operands.len()), "{}: an operand is missing or unused", rule.id);
        }
    }
}
