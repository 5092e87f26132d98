//! Files, and what is said when they can't be read.

use std::io::ErrorKind;
use std::path::Path;

/// Reads a file.
///
/// # Errors
/// One sentence that names the option, the file and the reason.
pub(crate) fn read(option: &str, path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| reason(option, path, &error))
}

/// Looks whether a folder is there.
///
/// # Errors
/// One sentence, likewise.
pub(crate) fn folder(option: &str, path: &Path) -> Result<(), String> {
    match std::fs::metadata(path) {
        Ok(data) if data.is_dir() => Ok(()),
        Ok(_) => Err(format!("{option}: Invalid value: {:?}: must be a folder", path.display().to_string())),
        Err(error) => Err(reason(option, path, &error)),
    }
}

fn reason(option: &str, path: &Path, error: &std::io::Error) -> String {
    let path = path.display().to_string();
    match error.kind() {
        ErrorKind::NotFound => format!("{option}: Not found: {path:?}: there is no such file or folder"),
        _ => format!("{option}: Invalid value: {path:?}: can't be read: {error}"),
    }
}
