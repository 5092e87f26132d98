//! Records what the player says of each story: what the page shows until the reader does something else.

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use changeover_player::Player;
use changeover_web::record;
use changeover_wire::Problem;
use serde_json::Value;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [stories, recordings] = arguments.as_slice() else {
        eprintln!("usage: changeover-recorder STORIES RECORDINGS");
        return ExitCode::FAILURE;
    };
    match record_stories(Path::new(stories), Path::new(recordings)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Records the stories of a folder in `NAME.recording.json` of another one.
fn record_stories(stories: &Path, recordings: &Path) -> Result<(), Problem> {
    let read = |file: &str| -> Result<Value, Problem> {
        let text = fs::read_to_string(stories.join(file)).map_err(|error| problem(file, &error))?;
        serde_json::from_str(&text).map_err(|error| problem(file, &error))
    };
    let index = read("index.json")?;
    let names = index.as_array().into_iter().flatten().filter_map(|entry| entry.get("name")?.as_str());
    fs::create_dir_all(recordings).map_err(|error| problem("the folder of the recordings", &error))?;
    for name in names {
        let mut player = Player::new();
        let mut answer = |request| {
            let response = player.respond(request);
            (response, player.take_track())
        };
        let recording = record(name, read, &mut answer).map_err(|error| problem(name, &error))?;
        let file = format!("{name}.recording.json");
        let text = serde_json::to_string(&recording).map_err(|error| problem(&file, &error))?;
        fs::write(recordings.join(&file), text).map_err(|error| problem(&file, &error))?;
    }
    Ok(())
}

fn problem(path: &str, error: &impl Display) -> Problem {
    Problem::new(path, error.to_string())
}
