use std::rc::Rc;

use yew::{Callback, Html, Properties, classes, component, html, use_memo, use_node_ref, use_state_eq};

use super::lane_view::LaneView;
use super::setting_input::breakable;
use crate::figures::{ComparedTrade, compared_trade};
use crate::files::FirstPicture;
use crate::hooks::{Rollout, use_element_size};
use crate::number::px;
use crate::picture::{Geometry, HandledSettings, TextRuler, tile_legend};
use crate::playback::Playback;

/// The height of the row of pods, in pixels: in a picture of that height, or else.
const ROW_HEIGHT: f64 = 74.0;
const LOW_PICTURE: f64 = 200.0;
const LOW_ROW_HEIGHT: f64 = 62.0;

/// How large 1 rem is for most readers, in pixels.
const USUAL_LETTER: f64 = 16.0;

/// The properties of [`Lanes`].
#[derive(PartialEq, Properties)]
pub struct LanesProps {
    /// What is shown.
    pub rollout: Rollout,
    /// Whether pods are also shown by node.
    #[prop_or_default]
    pub by_node: bool,
    /// The settings that the pictures of the first lanes can change.
    #[prop_or_default]
    pub handled: Vec<HandledSettings>,
    /// What is shown until the lanes have been played.
    #[prop_or_default]
    pub first_picture: Option<FirstPicture>,
}

/// The lanes side by side, on one clock.
#[component]
pub fn Lanes(props: &LanesProps) -> Html {
    let LanesProps { rollout, first_picture, .. } = props;
    let space = use_node_ref();
    let size = use_element_size(&space);
    let letter = use_node_ref();
    let letter_size = use_element_size(&letter).width;
    let playback = rollout.state.playback.clone();
    let ruler = use_memo(letter_size, |_| TextRuler::with_font_of(&letter.cast()?));
    let geometry = use_memo((playback.clone(), size, letter_size, ruler), |(playback, size, letter_size, ruler)| {
        let playback = playback.as_ref().filter(|_| size.width > 0.0 && *letter_size > 0.0)?;
        let ruler = (**ruler).clone()?;
        let text_scale = letter_size / USUAL_LETTER;
        let row_height = if size.height < LOW_PICTURE * text_scale { LOW_ROW_HEIGHT } else { ROW_HEIGHT };
        let row_height = (row_height * text_scale).min(size.height / 2.0);
        Some(Rc::new(Geometry::new(playback, [size.width, size.height], row_height, text_scale, ruler)))
    });
    // While a setting is dragged, the scales stay as they were, so that its handle stays below the pointer.
    let held = use_state_eq(|| None::<Rc<Geometry>>);
    let on_hold = {
        let (held, geometry) = (held.setter(), (*geometry).clone());
        Callback::from(move |holds: bool| held.set(geometry.clone().filter(|_| holds)))
    };
    let geometry = (*held).clone().or_else(|| (*geometry).clone());
    let legend = use_memo((playback.clone(), geometry.clone()), |(playback, geometry)| {
        tile_legend(playback.as_ref()?, geometry.as_ref()?)
    });
    let expected = first_picture.as_ref().map_or(2, |picture| picture.lanes);
    let shown = playback.as_ref().map_or(expected, |playback| playback.shown_lanes.len());
    // The clock beside the pictures is as wide as its longest time, which is the last one.
    let clock_letters = playback.as_ref().map(|playback| playback.clock(playback.end_time()).len());
    let clock_style = clock_letters.map(|letters| format!("--clock-letters:{letters}"));
    // On a slow machine, the lanes may be played before the browser has measured their space.
    let drawn = playback.zip(geometry);
    let picture_style = drawn.as_ref().map(|(_, geometry)| format!("--picture-width:{}px", px(geometry.width)));
    let style: Vec<String> = clock_style.into_iter().chain(picture_style).collect();
    html! {
        // On paper, as many pictures stand side by side as fit.
        <div class={classes!("lanes", format!("lanes-{shown}"), drawn.is_none().then_some("empty"))}
            style={(!style.is_empty()).then(|| style.join(";"))}>
            // As wide and as high as every picture.
            <div class="measure" aria-hidden="true">
                <div ref={space} class="space" />
                <div ref={letter} class="letter" />
            </div>
            if let Some((playback, geometry)) = drawn {
                { view_lanes(props, &playback, &geometry, &on_hold, legend.as_deref()) }
            } else if let Some(picture) = first_picture {
                { Html::from_html_unchecked(picture.html.clone()) }
            }
        </div>
    }
}

fn view_lanes(
    props: &LanesProps,
    playback: &Rc<Playback>,
    geometry: &Rc<Geometry>,
    on_hold: &Callback<bool>,
    legend: Option<&str>,
) -> Html {
    let LanesProps { rollout, by_node, handled, first_picture: _ } = props;
    let shown = &playback.shown_lanes;
    let name = |lane: usize| playback.lanes.get(lane).map(|lane| lane.info.name.as_str()).unwrap_or_default();
    html! {
        <>
            // Above the picture that is that of both.
            { for (0..playback.lanes.len()).filter_map(|lane| Some((lane, playback.repeated_lane(lane)?))).map(|(lane, repeated)| html! {
                <p class="repeated" key={format!("repeated-{lane}")}>
                    <strong>{ name(lane) }</strong>{ format!(": exactly the same as “{}”.", name(repeated)) }
                </p>
            }) }
            { for shown.iter().map(|lane| {
                html! {
                    <LaneView key={*lane} rollout={rollout.clone()} playback={playback.clone()} lane={*lane}
                        geometry={geometry.clone()} by_node={*by_node}
                        has_handle={shown.first() == Some(lane)} handled={handled.get(*lane).cloned()} on_hold={on_hold.clone()} />
                }
            }) }
            if let Some(legend) = legend {
                <p class="note tile-legend" key="tile-legend">{ legend }</p>
            }
            if let Some(ComparedTrade { name, cost, shared }) = compared_trade(playback) {
                <p class="trade" key="trade">
                    <span class="cost"><strong>{ breakable(name) }</strong>{ format!(": {cost}") }</span>
                    if let Some(shared) = shared { { " " }<span class="shared">{ shared }</span> }
                </p>
            }
        </>
    }
}
