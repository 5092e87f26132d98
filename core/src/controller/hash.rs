//! The pod-template-hash.

use alloc::string::{String, ToString};
use core::hash::Hasher;

use crate::json::{self, ToJson};
use crate::object::PodTemplateSpec;

/// Names a pod template. Upstream hashes Go's own print of the template, fields it does not know included; this hash
/// is of the template's JSON, so the value differs while what it is for (one name for each template) does not.
///
/// Upstream: `pkg/controller/controller_utils.go ComputeHash`
pub fn compute_hash(template: &PodTemplateSpec, collision_count: Option<i32>) -> String {
    let mut hash = Fnv32a::new();
    hash.write(json::text(&template.to_json()).as_bytes());
    // Upstream adds the count only where there is one, so that the first name needs none.
    if let Some(count) = collision_count {
        hash.write(&count.to_le_bytes());
    }
    safe_encode_string(&hash.0.to_string())
}

/// FNV-1a, 32 bits, as in Go's `hash/fnv`.
struct Fnv32a(u32);

impl Fnv32a {
    const fn new() -> Self {
        Self(2_166_136_261)
    }
}

impl Hasher for Fnv32a {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(16_777_619);
        }
    }

    fn finish(&self) -> u64 {
        self.0.into()
    }
}

/// The letters of generated names: no vowels, so no words; no 0, 1 and 3, which look like letters.
const ALPHANUMS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// Upstream: `k8s.io/apimachinery/pkg/util/rand/rand.go SafeEncodeString`
fn safe_encode_string(text: &str) -> String {
    text.bytes().map(|byte| letter(u32::from(byte))).collect()
}

/// A letter of a generated name.
pub(crate) fn letter(number: u32) -> char {
    let index = usize::try_from(number.checked_rem(27).unwrap_or(0)).unwrap_or(0);
    char::from(ALPHANUMS.get(index).copied().unwrap_or(b'b'))
}
