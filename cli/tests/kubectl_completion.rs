//! kubectl completes its plugin with the printed script.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// What a program prints, with the plugin on the PATH.
fn output(plugins: &Path, program: &str, arguments: &[&str]) -> String {
    let path = format!("{}:{}", plugins.display(), env::var("PATH").unwrap());
    let output = Command::new(program).args(arguments).env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_script_completes_as_kubectl_expects_it() {
    let plugins = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kubectl-plugins");
    fs::create_dir_all(&plugins).unwrap();
    let plugin = plugins.join("kubectl-changeover");
    let _ = fs::remove_file(&plugin);
    symlink(env!("CARGO_BIN_EXE_changeover"), &plugin).unwrap();
    let script = output(&plugins, "kubectl-changeover", &["completions", "kubectl"]);
    let file = plugins.join("kubectl_complete-changeover");
    fs::write(&file, script).unwrap();
    let file = file.to_str().unwrap();
    for (words, completed) in [
        (&["pre"][..], "predict\n:0\n"),
        (&["predict", "--wor"], "--worst\n:0\n"),
        (&["predict", "--worst", "--mode", "re"], "realistic\n:0\n"),
        (&["completions", "ku"], "kubectl\n:0\n"),
        (&["nothing-like-this"], ":0\n"),
    ] {
        let arguments: Vec<&str> = [file].iter().chain(words).copied().collect();
        assert_eq!(output(&plugins, "bash", &arguments), completed, "{words:?}");
    }
}
