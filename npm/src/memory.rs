//! What JavaScript asks about the module's memory.

use wasm_bindgen::prelude::wasm_bindgen;

#[global_allocator]
static ALLOCATOR: changeover_allocator::Allocator = changeover_allocator::allocator();

/// The bytes that are allocated now.
#[wasm_bindgen(js_name = memoryInUse)]
pub fn memory_in_use() -> usize {
    ALLOCATOR.in_use()
}

/// Sets how many bytes of memory the module may have.
#[wasm_bindgen(js_name = limitMemory)]
pub fn limit_memory(bytes: f64) {
    #[expect(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of JavaScript"
    )]
    changeover_allocator::limit_memory(bytes as usize);
}

/// Whether memory ran out. It may be asked after a trap.
#[wasm_bindgen(js_name = isOutOfMemory)]
pub fn is_out_of_memory() -> bool {
    ALLOCATOR.is_exhausted()
}
