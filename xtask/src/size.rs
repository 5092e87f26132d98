//! The sizes of the files that users download, and their limits.

use std::fs;
use std::io::Write;
use std::iter::Sum;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::parallel;

/// The limits for a file's size: uncompressed, and as a server sends it.
pub struct Budget {
    pub raw: Option<usize>,
    pub brotli: Option<usize>,
}

impl Budget {
    /// A message for each limit that is exceeded.
    pub fn excess(&self, name: &str, sizes: Sizes) -> Vec<String> {
        let limits = [("raw", sizes.raw, self.raw), ("brotli", sizes.brotli, self.brotli)];
        limits
            .into_iter()
            .filter_map(|(how, bytes, limit)| {
                let limit = limit.filter(|limit| bytes > *limit)?;
                Some(format!("{name} has {bytes} bytes {how}, {limit} at most"))
            })
            .collect()
    }
}

/// A file's size in bytes: uncompressed, and as a server sends it.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub raw: usize,
    pub gzip: usize,
    pub brotli: usize,
}

impl Sizes {
    /// Measures a file.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn of(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("{} can't be read", path.display()))?;
        Ok(Self { raw: bytes.len(), gzip: gzip(&bytes)?.len(), brotli: brotli(&bytes)?.len() })
    }

    /// Reads the sizes of a file that [`precompress`] has compressed.
    ///
    /// # Errors
    /// If one of the three files is missing.
    pub fn of_precompressed(path: &Path) -> Result<Self> {
        let length = |path: &Path| -> Result<usize> {
            let data = fs::metadata(path).with_context(|| format!("{} is missing", path.display()))?;
            Ok(data.len().try_into()?)
        };
        Ok(Self {
            raw: length(path)?,
            gzip: length(&with_suffix(path, "gz"))?,
            brotli: length(&with_suffix(path, "br"))?,
        })
    }

    /// Prints the sizes as a line below [`print_head`].
    pub fn print(self, name: &str) {
        println!("{name:<34} {:>9} {:>9} {:>9}", self.raw, self.gzip, self.brotli);
    }
}

/// The total size of several files.
impl Sum for Sizes {
    fn sum<I: Iterator<Item = Self>>(files: I) -> Self {
        files.fold(Self { raw: 0, gzip: 0, brotli: 0 }, |all, file| Self {
            raw: all.raw.saturating_add(file.raw),
            gzip: all.gzip.saturating_add(file.gzip),
            brotli: all.brotli.saturating_add(file.brotli),
        })
    }
}

/// Prints a file's sizes and returns a message for each limit that is exceeded.
///
/// # Errors
/// If the file can't be read.
pub fn print_and_check(name: &str, path: &Path, budget: &Budget) -> Result<Vec<String>> {
    let sizes = Sizes::of(path)?;
    sizes.print(name);
    Ok(budget.excess(name, sizes))
}

/// Prints the line above the sizes.
pub fn print_head() {
    println!("{:<34} {:>9} {:>9} {:>9}", "bytes", "raw", "gzip", "brotli");
}

/// Fails if any limit is exceeded.
///
/// # Errors
/// With all messages of [`print_and_check`].
pub fn ensure_within_budget(excess: &[String]) -> Result<()> {
    if excess.is_empty() {
        return Ok(());
    }
    bail!("too large: {}", excess.join("; "))
}

/// Writes `FILE.br` and `FILE.gz` next to every file that they make smaller, for servers that send precompressed files.
///
/// # Errors
/// If a file can't be read or written.
pub fn precompress(folder: &Path) -> Result<()> {
    let mut compressible = files(folder)?;
    compressible.retain(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("wasm" | "js" | "css" | "html" | "json" | "svg"))
    });
    parallel::map(&compressible, |path| {
        let bytes = fs::read(path)?;
        fs::write(with_suffix(path, "br"), brotli(&bytes)?)?;
        Ok(fs::write(with_suffix(path, "gz"), gzip(&bytes)?)?)
    })
    .map(drop)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

/// All files below a folder, sorted.
///
/// # Errors
/// If a folder can't be read.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} can't be read", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn brotli(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut packed = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    brotli::BrotliCompress(&mut &*bytes, &mut packed, &parameters)?;
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_too_large() {
        let sizes = Sizes { raw: 11, gzip: 9, brotli: 7 };
        assert!(Budget { raw: Some(11), brotli: Some(7) }.excess("a", sizes).is_empty());
        let over = Budget { raw: Some(10), brotli: Some(6) }.excess("a", sizes);
        assert_eq!(over, ["a has 11 bytes raw, 10 at most", "a has 7 bytes brotli, 6 at most"]);
        let over = Budget { raw: None, brotli: Some(13) }.excess("both", [sizes, sizes].into_iter().sum());
        assert_eq!(over, ["both has 14 bytes brotli, 13 at most"]);
    }

    #[test]
    fn compresses() {
        let bytes = [b'a'; 1000];
        assert!(gzip(&bytes).unwrap().len() < 100);
        assert!(brotli(&bytes).unwrap().len() < 100);
    }

    #[test]
    fn the_sizes_of_precompressed_files_are_those_of_the_file() {
        let site = tempfile::tempdir().unwrap();
        let file = site.path().join("main.js");
        fs::write(&file, "let a = 1;\n".repeat(100)).unwrap();
        assert!(Sizes::of_precompressed(&file).is_err());
        precompress(site.path()).unwrap();
        let (read, measured) = (Sizes::of_precompressed(&file).unwrap(), Sizes::of(&file).unwrap());
        assert_eq!((read.raw, read.gzip, read.brotli), (measured.raw, measured.gzip, measured.brotli));
    }
}
