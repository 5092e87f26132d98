//! The components of the page.

mod answers;
mod api_server_page;
mod ask;
mod details_tables;
mod embed_page;
mod header;
mod headline;
mod help_dialog;
mod job_form;
mod lane_view;
mod lanes;
mod manifest_editor;
mod manifest_report;
mod moments_table;
mod outlook_panel;
mod player_bar;
mod pods_by_node;
mod policy_settings_form;
mod proof_link;
mod sandbox_page;
mod setting_input;
mod settings_form;
mod share_menu;
mod story_captions;
mod story_page;
mod story_player;
mod what_if;
mod why;
mod workload_choice;
mod worst_case;

pub use api_server_page::{ApiServerPage, ReviewInputs};
pub use embed_page::{EmbedPage, EmbeddedStoryPage};
pub use header::Header;
pub use help_dialog::HelpDialog;
pub use sandbox_page::SandboxPage;
pub use story_page::StoryPage;
