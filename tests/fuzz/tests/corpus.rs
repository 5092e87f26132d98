//! The properties hold for everything that fuzzing has found.

use changeover_fuzz::{TARGETS, corpus};

#[test]
fn the_corpus_holds() {
    for (name, target) in TARGETS {
        let inputs = corpus::read(name).unwrap();
        assert!(!inputs.is_empty(), "there is no corpus for {name}");
        inputs.iter().for_each(|input| target(input));
    }
}
