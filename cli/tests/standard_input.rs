//! Manifests on the standard input of the programs: natively, and with the command of the npm package where
//! `CHANGEOVER_NPM_COMMAND` names it (`xtask` does).

use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn commands() -> impl Iterator<Item = PathBuf> {
    let native = PathBuf::from(env!("CARGO_BIN_EXE_changeover"));
    core::iter::once(native).chain(env::var_os("CHANGEOVER_NPM_COMMAND").map(PathBuf::from))
}

/// `predict` from `old/web.yaml` to these manifests.
fn predict(program: &Path, new: &str) -> Command {
    let mut command = Command::new(program);
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cli/cases/predict.in");
    command.args(["predict", "old/web.yaml", new]).current_dir(cases).env("NO_COLOR", "1");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn is_read_as_a_file_is() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cli/cases/predict.in/new/web.yaml");
    for program in commands() {
        let expected = predict(&program, "new/web.yaml").stdin(Stdio::null()).output().unwrap();
        assert_eq!((expected.status.code(), expected.stderr.as_slice()), (Some(0), [].as_slice()));

        let redirected = predict(&program, "-").stdin(File::open(&file).unwrap()).output().unwrap();
        assert_eq!(redirected, expected);

        let mut child = predict(&program, "-").stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(child.wait_with_output().unwrap(), expected);
    }
}

#[test]
fn has_the_lines_of_a_client_until_it_ends() {
    for program in commands() {
        let mut command = Command::new(&program);
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
        // Each answer comes before the next request, and the last line may lack its end.
        for (id, end) in [(1, "\n"), (2, "\r\n"), (3, "")] {
            write!(stdin, "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}{end}").unwrap();
            stdin.flush().unwrap();
            if end.is_empty() {
                break;
            }
            assert_eq!(
                answers.next().unwrap().unwrap(),
                format!("{{\"id\":{id},\"jsonrpc\":\"2.0\",\"result\":{{}}}}")
            );
        }
        drop(stdin);
        assert_eq!(answers.next().unwrap().unwrap(), "{\"id\":3,\"jsonrpc\":\"2.0\",\"result\":{}}");
        assert!(answers.next().is_none());
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    }
}

#[test]
fn is_read_as_windows_powershell_writes_it() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cli/cases/predict.in/new/web.yaml");
    let text = format!("\u{feff}{}", fs::read_to_string(file).unwrap()).replace('\n', "\r\n");
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for program in commands() {
        let expected = predict(&program, "new/web.yaml").stdin(Stdio::null()).output().unwrap();
        let mut child = predict(&program, "-").stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        assert_eq!(child.wait_with_output().unwrap(), expected);
    }
}
