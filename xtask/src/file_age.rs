//! Whether a file is newer than what it is made from.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::SystemTime;

/// Whether `output` is newer than `inputs` and this program, so that nothing needs to be built.
pub fn is_up_to_date(output: &Path, inputs: &[&Path]) -> bool {
    // Read once: `make test` recompiles this program, which removes the file while it runs.
    static PROGRAM: LazyLock<Option<SystemTime>> =
        LazyLock::new(|| std::env::current_exe().ok().and_then(|program| modified(&program)));
    let is_newer_than_program = PROGRAM.is_some_and(|built| modified(output).is_some_and(|made| built <= made));
    is_newer_than_program && is_newer(output, inputs)
}

/// Whether `output` is newer than all of `inputs`.
pub fn is_newer(output: &Path, inputs: &[&Path]) -> bool {
    let Some(made) = modified(output) else { return false };
    inputs.iter().all(|input| modified(input).is_some_and(|changed| changed <= made))
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}
