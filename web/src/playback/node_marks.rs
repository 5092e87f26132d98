//! Short marks of nodes, for the tiles of their pods.

use std::collections::BTreeSet;

/// The most characters of a mark.
const LONGEST: usize = 2;

/// The mark of each node: the end of its name. None if the ends of the names are alike, or if there is only one node.
pub fn node_marks(nodes: &[String]) -> Vec<String> {
    if nodes.len() < 2 {
        return Vec::new();
    }
    let marks = |length: usize| nodes.iter().map(|name| name_end(name, length)).collect::<Vec<_>>();
    let differ = |marks: &Vec<String>| marks.iter().collect::<BTreeSet<_>>().len() == marks.len();
    (1..=LONGEST).map(marks).find(differ).unwrap_or_default()
}

/// The last characters of a name, without the sign before its last part: `a` of `node-a`.
fn name_end(name: &str, length: usize) -> String {
    let end: Vec<char> = name.chars().rev().take(length).collect();
    end.into_iter().rev().skip_while(|character| !character.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_tells_its_node_from_all_others() {
        for (nodes, marks) in [
            (vec!["node-a", "node-b"], vec!["a", "b"]),
            (vec!["node-1", "node-9", "node-11"], vec!["1", "9", "11"]),
            (vec!["node-a"], vec![]),
            (vec!["ip-10-0-0-1.internal", "ip-10-0-0-2.internal"], vec![]),
            (vec![], vec![]),
        ] {
            let nodes: Vec<String> = nodes.into_iter().map(String::from).collect();
            assert_eq!(node_marks(&nodes), marks);
        }
    }
}
