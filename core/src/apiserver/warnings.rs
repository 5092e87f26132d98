//! What the API server says to a client although it lets the object through.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::operation::Operation;
use super::strategy::Strategy;

/// The warnings of the strategies about an object as it stands (defaulted and prepared), in upstream's order and words.
/// Volumes, affinity, spreading and addresses are not looked at.
pub fn warnings(object: &Value, strategy: &dyn Strategy, operation: Operation<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    match operation {
        Operation::Create => strategy.warnings_on_create(object, &mut warnings),
        Operation::Update(old) => strategy.warnings_on_update(object, old, &mut warnings),
        Operation::UpdateStatus(_) => {}
    }
    warnings
}
