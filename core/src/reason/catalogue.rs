use super::{Rule, cluster, deployment, replica_set, user};

/// Every rule there is.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [deployment::ALL, replica_set::ALL, cluster::ALL, user::ALL].into_iter().flatten().copied()
}

/// The rule of that id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::all;

    #[test]
    fn ids_are_unique_and_texts_name_only_their_operands() {
        let mut seen = BTreeSet::new();
        for rule in all() {
            assert!(seen.insert(rule.id), "{} twice", rule.id);
            for text in rule.formula.iter().chain([&rule.sentence]) {
                for name in text.split('{').skip(1) {
                    let name = name.split('}').next().unwrap();
                    assert!(rule.operands.iter().any(|operand| operand.name == name), "{}: {{{name}}}", rule.id);
                }
            }
        }
    }
}
