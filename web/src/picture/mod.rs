//! The picture of a lane: pods across, time down, and at the playhead the pods themselves.

mod areas;
mod classes;
mod column_areas;
mod column_row;
mod drag_handle;
mod geometry;
mod group;
mod label_places;
mod pod_row;
mod pod_tile;
mod setbacks;
mod setting_handles;
mod text_ruler;
mod tile_legend;
mod time_axis;
mod view;

pub use classes::mark_class;
pub use column_areas::partition_edge;
pub use drag_handle::{HandleAxis, value_after_key};
pub use geometry::Geometry;
pub use label_places::HandlePlaces;
pub use pod_tile::{PodIcon, TileState, tile_title_on};
pub use setting_handles::{HandledSettings, SettingHandles, handle_places};
pub use text_ruler::TextRuler;
pub use tile_legend::tile_legend;
pub use time_axis::TimeAxis;
pub use view::{Patterns, Picture};
