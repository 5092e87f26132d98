//! The picture of a lane: pods across, time down, and at the playhead the pods themselves.

mod areas;
mod classes;
mod drag_handle;
mod geometry;
mod job_areas;
mod job_row;
mod label_places;
mod pod_row;
mod setbacks;
mod setting_handles;
mod tile_legend;
mod time_axis;
mod view;

pub use classes::{hue_class, mark_class, state_class};
pub use geometry::Geometry;
pub use label_places::HandlePlaces;
pub use pod_row::tile_title_on;
pub use setting_handles::{HandledSettings, SettingHandles, handle_places};
pub use tile_legend::tile_legend;
pub use time_axis::TimeAxis;
pub use view::{Patterns, Picture};
