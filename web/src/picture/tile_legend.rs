//! What the marks on the tiles mean.

use std::rc::Rc;

use super::geometry::Geometry;
use super::pod_tile::{CostLabel, has_room_for_node};
use crate::playback::{Lane, Playback};

/// Up to this many nodes are listed; otherwise, only the first and the last one.
const MAX_LISTED: usize = 3;

/// What the marks on the tiles mean, in one line for all lanes; none if the tiles never have any.
pub fn tile_legend(playback: &Playback, geometry: &Geometry) -> Option<String> {
    if geometry.has_fixed_columns {
        let has_claims = playback.lanes.iter().any(|lane| lane.track.has_claims());
        return has_claims.then(|| String::from("The bar below a pod is its claim, which stays when the pod goes."));
    }
    if !geometry.has_tiles() {
        return None;
    }
    let shown = || playback.shown_lanes.iter().filter_map(|lane| playback.lanes.get(*lane));
    let with_tiles = || shown().filter(|lane| lane.columns.is_some());
    let has_node = |lane: &&Rc<Lane>| lane.node_marks.iter().any(|mark| has_room_for_node(mark, 0.0, geometry));
    let nodes = with_tiles().filter(has_node).max_by_key(|lane| lane.node_marks.len());
    let nodes =
        nodes.map(|lane| format!("its node on the left ({})", names_of_marks(&lane.node_marks, &lane.played.nodes)));
    let mut costs = with_tiles().flat_map(|lane| lane.track.pods.iter().flatten()).filter_map(|pod| pod.cost);
    let has_cost = costs.any(|cost| CostLabel::on_tile(cost, geometry).is_some());
    let costs = has_cost.then(|| String::from("its deletion cost on the right (the lowest is deleted first)"));
    let parts: Vec<String> = nodes.into_iter().chain(costs).collect();
    (!parts.is_empty()).then(|| format!("Each tile shows {}.", parts.join(" and ")))
}

/// `a is node-a, b is node-b`; of many, `a to e are node-a to node-e`.
fn names_of_marks(marks: &[String], names: &[String]) -> String {
    match (marks, names) {
        ([mark, .., last_mark], [name, .., last_name]) if marks.len() > MAX_LISTED => {
            format!("{mark} to {last_mark} are {name} to {last_name}")
        }
        _ => {
            let each = marks.iter().zip(names).map(|(mark, name)| format!("{mark} is {name}"));
            each.collect::<Vec<String>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::TextRuler;
    use crate::settings::Field;
    use crate::tests::{compared, settings};

    fn legend(texts: &[(Field, &str)], width: f64) -> Option<String> {
        let (_, playback) = compared(&settings(texts));
        tile_legend(&playback, &Geometry::new(&playback, [width, 400.0], 74.0, 1.0, TextRuler::monospace(1.0)))
    }

    #[test]
    fn the_letters_on_the_tiles_are_explained_where_there_are_any() {
        let nodes = |nodes: &'static str| [(Field::Replicas, "4"), (Field::Nodes, nodes)];
        assert_eq!(
            legend(&nodes("2"), 600.0).as_deref(),
            Some("Each tile shows its node on the left (a is node-a, b is node-b).")
        );
        assert_eq!(
            legend(&nodes("4"), 600.0).as_deref(),
            Some("Each tile shows its node on the left (a to d are node-a to node-d).")
        );
        assert_eq!(legend(&nodes("1"), 600.0), None);
        // The tiles are too narrow for letters.
        assert_eq!(legend(&nodes("2"), 60.0), None);
    }
}
