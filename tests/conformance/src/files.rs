use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A case as it is in its file.
pub struct Loaded {
    /// The file.
    pub file: PathBuf,
    /// Its position in the file, from 1: the line, or the index in the array.
    pub position: usize,
    pub(crate) source: CaseSource,
}

/// A case that is not yet parsed.
pub(crate) enum CaseSource {
    Text(String),
    Value(Value),
}

impl CaseSource {
    /// The case as JSON.
    pub(crate) fn value(&self) -> Result<Value, String> {
        match self {
            Self::Text(text) => serde_json::from_str(text).map_err(|error| error.to_string()),
            Self::Value(value) => Ok(value.clone()),
        }
    }
}

/// Reads all cases of the files and folders, in the order of the paths, and by name within a folder.
///
/// # Errors
/// One sentence, if a path does not exist, can't be read or is not an array of cases, or if there are no cases.
pub fn load(paths: &[PathBuf]) -> Result<Vec<Loaded>, String> {
    let mut cases = Vec::new();
    for path in paths {
        if !path.is_dir() && !is_lines(path) && !is_array(path) {
            return Err(match fs::metadata(path) {
                Ok(_) => format!("{}: a file with cases is named *.jsonl or *.json", path.display()),
                Err(error) => format!("{}: {error}", path.display()),
            });
        }
        visit(path, &mut cases)?;
    }
    if cases.is_empty() {
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(format!("{}: no cases there", paths.join(", ")));
    }
    Ok(cases)
}

fn visit(path: &Path, cases: &mut Vec<Loaded>) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    if path.is_dir() {
        let entries: Result<Vec<_>, _> = fs::read_dir(path).map_err(|error| failed(&error))?.collect();
        let mut entries: Vec<_> = entries.map_err(|error| failed(&error))?.iter().map(fs::DirEntry::path).collect();
        entries.sort();
        return entries.iter().try_for_each(|entry| visit(entry, cases));
    }
    if is_lines(path) {
        let text = fs::read_to_string(path).map_err(|error| failed(&error))?;
        for (line, position) in text.lines().zip(1..) {
            if !line.trim().is_empty() {
                cases.push(Loaded { file: path.into(), position, source: CaseSource::Text(line.into()) });
            }
        }
    } else if is_array(path) {
        let text = fs::read_to_string(path).map_err(|error| failed(&error))?;
        let array: Vec<Value> = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        for (case, position) in array.into_iter().zip(1..) {
            cases.push(Loaded { file: path.into(), position, source: CaseSource::Value(case) });
        }
    }
    Ok(())
}

fn is_lines(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

fn is_array(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}
