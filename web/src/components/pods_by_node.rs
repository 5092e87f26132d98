use std::collections::BTreeMap;
use std::rc::Rc;

use yew::{Html, Properties, component, html};

use crate::number::plural_count;
use crate::picture::{PodIcon, TileState, tile_title_on};
use crate::playback::{Moment, Playback, PodKeyframe};

/// The properties of [`PodsByNode`].
#[derive(PartialEq, Properties)]
pub struct PodsByNodeProps {
    /// All lanes.
    pub playback: Rc<Playback>,
    /// The lane.
    pub lane: usize,
    /// The moment.
    pub moment: Moment,
}

/// The pods of a moment, a row for each node.
#[component]
pub fn PodsByNode(props: &PodsByNodeProps) -> Html {
    let PodsByNodeProps { playback, lane, moment } = props;
    let Some(lane) = playback.lanes.get(*lane) else { return Html::default() };
    let mut rows: BTreeMap<Option<usize>, Vec<(usize, &PodKeyframe)>> = BTreeMap::new();
    for (pod, keyframe) in lane.track.pods_at(*moment) {
        rows.entry(keyframe.node).or_default().push((pod, keyframe));
    }
    let nodes = (0..lane.played.nodes.len()).filter(|node| lane.track.node_exists_at(*node, *moment));
    for node in nodes {
        rows.entry(Some(node)).or_default();
    }
    html! {
        <table class="nodes" aria-label={format!("Pods by node: {}", lane.info.name)}>
            <caption>{ "Pods by node" }</caption>
            <tbody>
                { for rows.iter().map(|(node, pods)| {
                    let name = node.and_then(|node| lane.played.nodes.get(node)).map_or("no node yet", String::as_str);
                    html! {
                        <tr key={name.to_owned()}>
                            <th scope="row">{ name }</th>
                            <td>{ plural_count(pods.len(), "pod") }</td>
                            <td class="tiles">
                                { for pods.iter().map(|(pod, keyframe)| {
                                    let title = tile_title_on(playback, lane.played.pods.get(*pod), keyframe, None);
                                    html! { <PodIcon key={*pod} state={TileState::new(keyframe, moment.time)} {title} /> }
                                }) }
                            </td>
                        </tr>
                    }
                }) }
            </tbody>
        </table>
    }
}
