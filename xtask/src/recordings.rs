//! The recordings of the stories: what the page's player says of each.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{file_age, run, size};

/// The program that records.
const RECORDER: &str = "changeover-recorder";

/// How the name of a recording ends, after that of its story.
pub const ENDING: &str = ".recording.json";

/// Records the stories of a folder, unless their recordings are up to date. Returns the folder of the recordings.
///
/// # Errors
/// If the recorder does not build, or a story can't be played.
pub fn build(workspace: &Workspace, stories: &Path) -> Result<PathBuf> {
    run::run(run::program(workspace, "build", RECORDER))?;
    let recorder = workspace.target.join("debug").join(format!("{RECORDER}{}", env::consts::EXE_SUFFIX));
    let folder = workspace.artifact("recordings");
    let stamp = workspace.artifact("recordings.stamp");
    let stories_files = size::files(stories)?;
    let names: String = stories_files.iter().map(|path| format!("{}\n", path.display())).collect();
    let inputs: Vec<&Path> = stories_files.iter().chain([&recorder]).map(PathBuf::as_path).collect();
    if file_age::is_newer(&stamp, &inputs) && fs::read_to_string(&stamp)? == names {
        return Ok(folder);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let mut record = run::command(workspace, &recorder, &[]);
    record.arg(stories).arg(&folder);
    run::run(record)?;
    fs::write(&stamp, names)?;
    Ok(folder)
}
