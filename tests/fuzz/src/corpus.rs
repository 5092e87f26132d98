//! The inputs that fuzzing has found, each of which covers something that no other does. Each target has a file of JSON
//! lines in `corpus/`, so that git shows which inputs are added and removed. cargo-fuzz needs a folder with a file for
//! each input; [`unpack`] and [`pack`] convert between the two.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

fn archive(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target).with_extension("jsonl")
}

/// The folder in which cargo-fuzz reads and writes inputs.
fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target)
}

/// The inputs in a target's archive.
///
/// # Errors
/// If the archive can't be read, or a line is neither a string nor a list of bytes.
pub fn read(target: &str) -> io::Result<Vec<Vec<u8>>> {
    fs::read_to_string(archive(target))?.lines().map(input).collect()
}

/// Writes the inputs of a target's archive to cargo-fuzz's folder, one file each.
///
/// # Errors
/// If the archive can't be read, or a file can't be written.
pub fn unpack(target: &str) -> io::Result<()> {
    fs::create_dir_all(folder(target))?;
    for (number, input) in read(target)?.into_iter().enumerate() {
        fs::write(folder(target).join(format!("{number:05}")), input)?;
    }
    Ok(())
}

/// Writes the files of cargo-fuzz's folder to the target's archive, sorted and without duplicates.
///
/// # Errors
/// If a file can't be read, or the archive can't be written.
pub fn pack(target: &str) -> io::Result<()> {
    let mut inputs = Vec::new();
    for file in fs::read_dir(folder(target))? {
        inputs.push(fs::read(file?.path())?);
    }
    inputs.sort_unstable();
    inputs.dedup();
    fs::write(archive(target), inputs.iter().map(|input| line(input) + "\n").collect::<String>())
}

/// An input on one line: its text, or a list of its bytes if it is not UTF-8.
fn line(input: &[u8]) -> String {
    str::from_utf8(input).map_or_else(|_| json!(input), |text| json!(text)).to_string()
}

fn input(line: &str) -> io::Result<Vec<u8>> {
    match serde_json::from_str(line)? {
        Value::String(text) => Ok(text.into_bytes()),
        bytes => Ok(serde_json::from_value(bytes)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_input_survives_a_round_trip() {
        for bytes in [b"".as_slice(), b"{\"a\":1}\n", "\u{2028}\u{0}\u{1f600}".as_bytes(), b"\"\xff\xfe\\"] {
            let line = line(bytes);
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(input(&line).unwrap(), bytes);
        }
        assert!(input("[256]").is_err() && input("{}").is_err());
    }
}
