//! What fuzzing has found still holds.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use changeover_fuzz::TARGETS;

#[test]
fn the_corpus_holds() {
    for (name, target) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
        let mut files = 0;
        for file in fs::read_dir(&folder).unwrap() {
            target(&fs::read(file.unwrap().path()).unwrap());
            files += 1;
        }
        assert!(files > 0, "there is no corpus for {name}");
    }
}
