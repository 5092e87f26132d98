//! The reference and the core decide alike on random worlds.
//!
//! `make test` tries a few thousand. A million, in some minutes:
//!
//!     KEP_5882_CASES=1000000 cargo test --release -p changeover-kep-5882 --test second_opinion

use changeover_kep_5882::agree::agree;
use changeover_kep_5882::asked::Question;
use changeover_kep_5882::random::{any_world, cases};
use changeover_kep_5882::world::Strategy;
use proptest::proptest;

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn of_random_worlds(world in any_world()) {
        agree(Question::Scale, &world)?;
        agree(Question::Sync, &world)?;
        if world.new.is_some() && world.strategy != Strategy::Recreate {
            agree(Question::New, &world)?;
            agree(Question::Old, &world)?;
        }
    }
}
