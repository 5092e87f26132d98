//! Folders with links that lead back to them, for the native command and that of the npm package where it is named.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: web}]}\n";

#[test]
fn a_link_that_leads_back_is_followed_once() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("linked-folders");
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(folder.join("app")).unwrap();
    fs::write(folder.join("app/web.yaml"), POD).unwrap();
    symlink("..", folder.join("app/all")).unwrap();
    let npm = env::var_os("CHANGEOVER_NPM_COMMAND").map(PathBuf::from);
    for command in core::iter::once(PathBuf::from(env!("CARGO_BIN_EXE_changeover"))).chain(npm) {
        let output = Command::new(command).args(["validate", "-o", "json"]).arg(&folder).output().unwrap();
        let report = String::from_utf8(output.stdout).unwrap();
        assert!(report.contains("\"objects\": 1,"), "{report}");
    }
}
