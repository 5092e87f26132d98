//! Names and uids, drawn from the scenario's seed.

use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::string::String;

use rand_core::Rng;
use rand_pcg::Pcg32;

use crate::controller::hash::letter;

/// Upstream: `k8s.io/apiserver/pkg/storage/names/generate.go NameGenerator`
#[derive(Clone, Debug)]
pub(super) struct NameGenerator {
    random: Pcg32,
    /// The uids of the objects at the start. They may come from the same seed, as those of a cluster that was simulated until it
    /// was at rest.
    given: BTreeSet<Rc<str>>,
}

impl NameGenerator {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Pcg32::new(seed, 0), given: BTreeSet::new() }
    }

    /// From now on, never draws the uids of the objects at the start.
    pub(super) fn reserve(&mut self, uids: impl IntoIterator<Item = Rc<str>>) {
        self.given.extend(uids);
    }

    /// A uid in the form of a version 4 UUID, which no object at the start has.
    pub(super) fn uid(&mut self) -> Rc<str> {
        loop {
            let uid = self.any_uid();
            if !self.given.contains(&uid) {
                return uid;
            }
        }
    }

    fn any_uid(&mut self) -> Rc<str> {
        let mut bytes = [0_u8; 16];
        self.random.fill_bytes(&mut bytes);
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

    /// A name that begins with the prefix.
    ///
    /// Upstream: `k8s.io/apiserver/pkg/storage/names/generate.go GenerateName`
    pub(super) fn generate(&mut self, prefix: &str) -> Rc<str> {
        // 63 letters at most, 5 of them random.
        let prefix = prefix.get(..58).unwrap_or(prefix);
        let mut name = String::with_capacity(prefix.len().saturating_add(5));
        name.push_str(prefix);
        for _ in 0..5_u8 {
            name.push(letter(self.random.next_u32()));
        }
        name.into()
    }
}
