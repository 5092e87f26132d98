//! Commands on a machine in memory.

mod memory_host;

use std::collections::BTreeMap;

use changeover_cli::{Exit, run};

use crate::memory_host::MemoryHost;

const OLD: &str = include_str!("../../tests/cli/cases/predict.in/old/web.yaml");
const NEW: &str = include_str!("../../tests/cli/cases/predict.in/new/web.yaml");
const STUCK: &str = include_str!("../../tests/cli/cases/explain.in/quota.json");

/// A machine with these files.
fn host(files: &[(&'static str, &str)]) -> MemoryHost {
    let files = files.iter().map(|(path, text)| (*path, (*text).to_owned()));
    MemoryHost { files: BTreeMap::from_iter(files), ..MemoryHost::default() }
}

/// Runs a command line, of which the first word is the program.
fn type_in(host: &mut MemoryHost, words: &str) -> Exit {
    run(host, &words.split(' ').map(str::to_owned).collect::<Vec<_>>())
}

#[test]
fn standard_input_is_read_as_a_file_is() {
    let mut of_files = host(&[("old.yaml", OLD), ("new.yaml", NEW)]);
    assert_eq!(type_in(&mut of_files, "changeover predict old.yaml new.yaml"), Exit::Clean);
    for (command, file, text, piped) in [
        ("changeover predict old.yaml -", "old.yaml", OLD, NEW),
        ("changeover predict - new.yaml", "new.yaml", NEW, OLD),
    ] {
        let mut host = MemoryHost { stdin: Some(piped.to_owned()), ..host(&[(file, text)]) };
        assert_eq!(type_in(&mut host, command), Exit::Clean);
        assert_eq!((host.output, host.errors, host.stdin), (of_files.output.clone(), String::new(), None));
    }
}

#[test]
fn suggested_commands_name_the_program_as_the_user_does() {
    for (program, name) in [("/usr/bin/changeover", "changeover"), ("kubectl-changeover", "kubectl changeover")] {
        let mut host = host(&[("state.json", STUCK)]);
        let command = format!("{program} predict state.json --now 2026-01-01T12:00:00Z");
        assert_eq!(type_in(&mut host, &command), Exit::Findings);
        for suggested in ["advise state.json", "explain shop/web -f state.json"] {
            assert!(host.output.contains(&format!(": {name} {suggested} ")), "{}", host.output);
        }
        assert_eq!(type_in(&mut host, &format!("{program} explain")), Exit::Unusable);
        assert!(host.errors.ends_with(&format!("(see {name} explain --help)\n")), "{}", host.errors);
    }
}
