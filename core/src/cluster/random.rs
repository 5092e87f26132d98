//! All randomness: from the scenario's seed, and from nothing else.

use alloc::rc::Rc;
use alloc::string::String;

use rand_core::Rng;
use rand_pcg::Pcg32;

use crate::controller::hash::letter;

/// Names and uids, drawn one after the other.
#[derive(Clone, Debug)]
pub(super) struct Random(Pcg32);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(Pcg32::new(seed, 0))
    }

    /// A uid in the form of a version 4 UUID.
    pub(super) fn uid(&mut self) -> Rc<str> {
        let mut bytes = [0_u8; 16];
        self.0.fill_bytes(&mut bytes);
        let mut text = String::with_capacity(36);
        for (index, byte) in bytes.into_iter().enumerate() {
            let byte = match index {
                6 => byte & 0x0f | 0x40,
                8 => byte & 0x3f | 0x80,
                _ => byte,
            };
            if matches!(index, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            for digit in [byte >> 4, byte & 0x0f] {
                text.push(char::from_digit(digit.into(), 16).unwrap_or('0'));
            }
        }
        text.into()
    }

    /// A name that begins so.
    ///
    /// Upstream: `k8s.io/apiserver/pkg/storage/names/generate.go GenerateName`
    pub(super) fn name(&mut self, prefix: &str) -> Rc<str> {
        // 63 letters at most, 5 of them random.
        let prefix = prefix.get(..58).unwrap_or(prefix);
        let mut name = String::with_capacity(prefix.len().saturating_add(5));
        name.push_str(prefix);
        for _ in 0..5_u8 {
            name.push(letter(self.0.next_u32()));
        }
        name.into()
    }
}

/// By how much a span of one pod is stretched: between 0 and `percent` percent of it.
///
/// It depends on the seed, the revision and the pod's number in it, and not on what else happened, so that the same pod
/// is equally slow under every policy.
pub(super) fn jitter(span: i64, percent: u32, seed: u64, revision: i64, pod: u64, which: u64) -> i64 {
    if percent == 0 {
        return span;
    }
    let stream = pod.wrapping_mul(8).wrapping_add(which);
    let mut random = Pcg32::new(seed ^ u64::from_le_bytes(revision.to_le_bytes()).rotate_left(32), stream);
    let drawn = i128::from(random.next_u32());
    let hundredfold = i128::from(span).saturating_mul(i128::from(percent)).saturating_mul(drawn) >> 32;
    span.saturating_add(i64::try_from(hundredfold).unwrap_or(i64::MAX).div_euclid(100))
}
