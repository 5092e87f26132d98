//! The pod-template-hash.

#[cfg(feature = "explain")]
mod dump;

use alloc::string::{String, ToString};
use core::fmt::{self, Display, Write};

use serde_json::Value;

use crate::json::ToJson;
use crate::object::PodTemplateSpec;

/// Names a pod template, which the API server has given its defaults.
///
/// Upstream: `pkg/controller/controller_utils.go ComputeHash`
pub fn compute_hash(template: &PodTemplateSpec, collision_count: Option<i32>) -> String {
    let mut hash = Fnv32a::new();
    // A hash takes everything.
    let _ = write!(hash, "{}", printed(&template.to_json()));
    // Upstream adds the count only where there is one, so that the first name needs none; in 8 bytes, of which it writes 4.
    if let Some(count) = collision_count {
        hash.update(&count.to_le_bytes());
        hash.update(&[0; 4]);
    }
    safe_encode_string(&hash.0.to_string())
}

/// What is hashed of a template.
#[cfg(feature = "explain")]
fn printed(template: &Value) -> impl Display {
    dump::Dump(template)
}

/// The names are not shown then: they must only differ where templates do.
#[cfg(not(feature = "explain"))]
fn printed(template: &Value) -> impl Display {
    crate::json::text(template)
}

/// FNV-1a, 32 bits, as in Go's `hash/fnv`.
struct Fnv32a(u32);

impl Fnv32a {
    const fn new() -> Self {
        Self(2_166_136_261)
    }

    fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(16_777_619);
        }
    }
}

impl Write for Fnv32a {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.update(text.as_bytes());
        Ok(())
    }
}

/// The letters of generated names: no vowels, so no words; no 0, 1 and 3, which look like letters.
const ALPHANUMS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// Upstream: `k8s.io/apimachinery/pkg/util/rand/rand.go SafeEncodeString`
pub(crate) fn safe_encode_string(text: &str) -> String {
    text.bytes().map(|byte| letter(u32::from(byte))).collect()
}

/// A letter of a generated name.
pub(crate) fn letter(number: u32) -> char {
    let index = usize::try_from(number.checked_rem(27).unwrap_or(0)).unwrap_or(0);
    char::from(ALPHANUMS.get(index).copied().unwrap_or(b'b'))
}
