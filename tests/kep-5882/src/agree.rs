//! Whether the reference and the core decide alike.

use proptest::prelude::{TestCaseError, prop_assert};

use crate::asked::{Question, ask};
use crate::reference;
use crate::world::{Left, World};

fn expected(question: Question, world: &World) -> Left {
    let mut after = world.clone();
    match question {
        Question::Scale => {
            let result = reference::scale(&mut after);
            reference::left(&after, result)
        }
        Question::New => {
            let result = reference::reconcile_new(&mut after);
            reference::left(&after, result)
        }
        Question::Old => {
            reference::reconcile_old(&mut after);
            after.unchanged()
        }
        Question::Sync => reference::sync(world),
    }
}

/// Asks both about a world.
///
/// # Errors
/// They differ.
pub fn agree(question: Question, world: &World) -> Result<(), TestCaseError> {
    let (expected, got) = (expected(question, world), ask(question, world).left);
    prop_assert!(got == expected, "{question:?} of {world}\n the reference: {expected:?}\n the core: {got:?}");
    Ok(())
}
