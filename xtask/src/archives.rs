//! The command line as archives to download, and the manifest with which krew installs them.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::release::Release;
use crate::workspace::Workspace;
use crate::{man, notices, run, size, tools};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The folder of the archives, and the files in it that describe them.
pub const FOLDER: &str = "dist/archives";

/// The profile in Cargo.toml.
const PROFILE: &str = "archive";

/// A platform that the command line runs on.
struct Platform {
    /// Rust's name for it.
    target: &'static str,
    /// Go's names for it, which krew and most people use.
    os: &'static str,
    arch: &'static str,
    /// The operating system that builds for it, as in `std::env::consts::OS`.
    built_on: &'static str,
    /// The rustc flag that makes the binary self-contained.
    flag: Option<&'static str>,
}

/// Linux binaries are static and linked by Rust's own linker, so they need no C compiler for the target. The others are
/// linked with Apple's and Microsoft's own libraries, and built where they can run.
const PLATFORMS: [Platform; 6] = [
    Platform {
        target: "x86_64-unknown-linux-musl",
        os: "linux",
        arch: "amd64",
        built_on: "linux",
        flag: Some("-Clinker=rust-lld"),
    },
    Platform {
        target: "aarch64-unknown-linux-musl",
        os: "linux",
        arch: "arm64",
        built_on: "linux",
        flag: Some("-Clinker=rust-lld"),
    },
    Platform { target: "x86_64-apple-darwin", os: "darwin", arch: "amd64", built_on: "macos", flag: None },
    Platform { target: "aarch64-apple-darwin", os: "darwin", arch: "arm64", built_on: "macos", flag: None },
    Platform {
        target: "x86_64-pc-windows-msvc",
        os: "windows",
        arch: "amd64",
        built_on: "windows",
        flag: Some("-Ctarget-feature=+crt-static"),
    },
    Platform {
        target: "aarch64-pc-windows-msvc",
        os: "windows",
        arch: "arm64",
        built_on: "windows",
        flag: Some("-Ctarget-feature=+crt-static"),
    },
];

impl Platform {
    fn archive(&self) -> String {
        format!("changeover-{VERSION}-{}-{}.tar.gz", self.os, self.arch)
    }

    fn binary(&self) -> &'static str {
        if self.os == "windows" { "changeover.exe" } else { "changeover" }
    }
}

/// The end of the name of the archive for this machine.
///
/// # Errors
/// If there is none.
pub fn of_this_machine() -> Result<String> {
    let os = std::env::consts::OS;
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => bail!("there is no archive for {os} on {other}"),
    };
    let os = if os == "macos" { "darwin" } else { os };
    Ok(format!("-{os}-{arch}.tar.gz"))
}

/// Builds the archives of the platforms that this system can build for.
///
/// # Errors
/// If one does not build.
pub fn build(workspace: &Workspace) -> Result<()> {
    let folder = workspace.root.join(FOLDER);
    fs::create_dir_all(&folder)?;
    let cargo_home = tools::cargo_home()?;
    let time = run::output(run::command(workspace, "git", &["log", "-1", "--format=%ct"]))?;
    let time = time.trim().parse().context("git's time of the commit")?;
    let pages = man::build(workspace, &workspace.artifact("man"))?;
    for platform in PLATFORMS.iter().filter(|platform| platform.built_on == std::env::consts::OS) {
        tools::ensure_targets(workspace, &[platform.target])?;
        let mut cargo = run::cargo(workspace, &["build", "--quiet", "--locked", "--profile", PROFILE]);
        cargo.args(["--package", "changeover-cli", "--bin", "changeover", "--target", platform.target]);
        // Panic messages contain source paths. Without this machine's paths, every machine builds the same bytes.
        let remapped = format!("--remap-path-prefix={}=cargo", cargo_home.display());
        let flags: Vec<&str> = platform.flag.into_iter().chain([remapped.as_str()]).collect();
        cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
        run::run(cargo)?;
        let binary = workspace.target.join(platform.target).join(PROFILE).join(platform.binary());
        let mut files = vec![(binary, platform.binary().to_owned(), 0o755)];
        let licenses = workspace.artifact("licenses").join(platform.target);
        fs::create_dir_all(&licenses)?;
        notices::write(workspace, &licenses, &["changeover-cli"], platform.target)?;
        files.extend(size::files(&licenses)?.into_iter().map(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (file, name, 0o644)
        }));
        for page in &pages {
            let name = page.file_name().context("the page has no file name")?.to_string_lossy();
            files.push((page.clone(), format!("man/{name}"), 0o644));
        }
        let archive = folder.join(platform.archive());
        fs::write(&archive, pack(&files, time)?)?;
        println!("{}", archive.display());
    }
    Ok(())
}

/// A compressed tar archive of files, each with its path in the archive and its mode. The same files always give the same
/// bytes.
fn pack(files: &[(PathBuf, String, u32)], time: u64) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (path, name, mode) in files {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        let mut header = tar::Header::new_gnu();
        header.set_size(u64::try_from(bytes.len())?);
        header.set_mode(*mode);
        header.set_mtime(time);
        archive.append_data(&mut header, name, bytes.as_slice())?;
    }
    Ok(archive.into_inner()?.finish()?)
}

/// Writes the checksums of all archives and krew's manifest.
///
/// # Errors
/// If an archive is missing.
pub fn krew(workspace: &Workspace) -> Result<()> {
    let release = Release::read(workspace)?;
    let folder = workspace.root.join(FOLDER);
    let mut archives = Vec::new();
    let mut sums = fs::File::create(folder.join("SHA256SUMS")).with_context(|| FOLDER.to_owned())?;
    for platform in &PLATFORMS {
        let path = folder.join(platform.archive());
        let Ok(bytes) = fs::read(&path) else {
            bail!("{}: not found: `xtask archives` writes it on {}", path.display(), platform.built_on);
        };
        let sum = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        writeln!(sums, "{sum}  {}", platform.archive())?;
        archives.push((platform, sum));
    }
    fs::write(folder.join("changeover.yaml"), manifest(&release, &archives))?;
    Ok(())
}

/// The manifest of the plugin, as <https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest> describes it.
fn manifest(Release { source, home, .. }: &Release, archives: &[(&Platform, String)]) -> String {
    let mut text = format!(
        "\
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: changeover
spec:
  version: v{VERSION}
  homepage: {home}
  shortDescription: Predicts and explains rollouts
  description: |
    Predicts what a rollout needs before you start it: the most pods and resources
    at once, including terminating pods, whether they fit your ResourceQuotas, and
    how long it takes. Explains the state of a running rollout, what comes next,
    and what blocks it. It makes the same decisions as the Kubernetes controllers,
    reads the cluster with your own kubectl, and changes nothing.
  platforms:
"
    );
    for (platform, sum) in archives {
        text.push_str(&format!(
            "  - selector:
      matchLabels:
        os: {}
        arch: {}
    uri: {source}/releases/download/v{VERSION}/{}
    sha256: {sum}
    bin: {}
",
            platform.os,
            platform.arch,
            platform.archive(),
            platform.binary()
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn an_archive_is_complete_and_reproducible() {
        let folder = tempfile::tempdir().unwrap();
        let expected = [("changeover", 0o755, "binary"), ("man/changeover.1", 0o644, "page")];
        let files = expected.map(|(name, mode, text)| {
            let file = folder.path().join(name.replace('/', "-"));
            fs::write(&file, text).unwrap();
            (file, name.to_owned(), mode)
        });
        let packed = pack(&files, 7).unwrap();
        assert_eq!(packed, pack(&files, 7).unwrap());
        let mut archive = tar::Archive::new(GzDecoder::new(packed.as_slice()));
        let packed: Vec<(String, u32, u64, String)> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let mut entry = entry.unwrap();
                let mut text = String::new();
                entry.read_to_string(&mut text).unwrap();
                let name = entry.path().unwrap().to_str().unwrap().to_owned();
                (name, entry.header().mode().unwrap(), entry.header().mtime().unwrap(), text)
            })
            .collect();
        let expected = expected.map(|(name, mode, text)| (name.to_owned(), mode, 7, text.to_owned()));
        assert_eq!(packed, expected);
    }

    #[test]
    fn the_manifest_names_each_archive() {
        let release = Release::read(&Workspace::find().unwrap()).unwrap();
        let archives: Vec<(&Platform, String)> = PLATFORMS.iter().map(|platform| (platform, "00".repeat(32))).collect();
        let text = manifest(&release, &archives);
        let [document] = changeover_text::parse(&text).unwrap().try_into().unwrap();
        let spec = &document.value["spec"];
        assert!(spec["shortDescription"].as_str().unwrap().len() <= 50);
        let platforms = spec["platforms"].as_array().unwrap();
        assert_eq!(platforms.len(), PLATFORMS.len());
        let arm = &platforms[1];
        assert_eq!(arm["selector"]["matchLabels"], serde_json::json!({ "os": "linux", "arch": "arm64" }));
        let address =
            format!("{}/releases/download/v{VERSION}/changeover-{VERSION}-linux-arm64.tar.gz", release.source);
        assert_eq!(arm["uri"], address);
        assert_eq!([&platforms[0]["bin"], &platforms[5]["bin"]], ["changeover", "changeover.exe"]);
    }
}
