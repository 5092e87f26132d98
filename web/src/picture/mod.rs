//! The picture of a lane: pods across, time down, and at the playhead the pods themselves.

mod areas;
mod classes;
mod drag_handle;
mod ends;
mod geometry;
mod job_areas;
mod job_row;
mod labels;
mod mark_labels;
mod pod_row;
mod pod_tile;
mod row_labels;
mod setbacks;
mod setting_handles;
mod text_width;
mod tile_legend;
mod time_axis;
mod view;

pub use classes::mark_class;
pub use geometry::Geometry;
pub use mark_labels::{MarkLabels, column_labels};
pub use pod_tile::{PodIcon, TileState, tile_title_on};
pub use setting_handles::{HandledSettings, SettingHandles, handle_obstacles};
pub use tile_legend::tile_legend;
pub use time_axis::TimeAxis;
pub use view::{Patterns, Picture};
