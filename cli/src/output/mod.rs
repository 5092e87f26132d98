//! The forms in which answers are printed.

pub mod figures;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod phrases;
pub mod picture;
pub mod table;
pub mod text;
