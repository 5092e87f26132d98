//! The page's allocator. It counts bytes, so that a test can see how many a frame allocates.

use changeover_allocator::Counting;
use wasm_bindgen::prelude::wasm_bindgen;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// All bytes that the page has ever allocated, modulo 2^32.
#[wasm_bindgen]
#[must_use]
pub fn allocated() -> u32 {
    ALLOCATOR.bytes()
}
