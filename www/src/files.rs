//! Reads the files that options name, with messages for those that can't be read.

use std::io::ErrorKind;
use std::path::Path;

/// Reads a file.
///
/// # Errors
/// One sentence that names the option, the file and the reason.
pub(crate) fn read(option: &str, path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| describe_error(option, path, &error))
}

/// Checks that a folder exists.
///
/// # Errors
/// One sentence that names the option, the folder and the reason.
pub(crate) fn check_folder(option: &str, path: &Path) -> Result<(), String> {
    match std::fs::metadata(path) {
        Ok(data) if data.is_dir() => Ok(()),
        Ok(_) => Err(format!("{option}: Invalid value: {:?}: must be a folder", path.display().to_string())),
        Err(error) => Err(describe_error(option, path, &error)),
    }
}

fn describe_error(option: &str, path: &Path, error: &std::io::Error) -> String {
    let path = path.display().to_string();
    match error.kind() {
        ErrorKind::NotFound => format!("{option}: Not found: {path:?}: there is no such file or folder"),
        _ => format!("{option}: Invalid value: {path:?}: can't be read: {error}"),
    }
}
