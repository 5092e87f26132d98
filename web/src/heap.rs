//! The allocator of the module, which also counts the allocated bytes: a test of the page measures what a frame allocates.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicU32, Ordering};

use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};
use wasm_bindgen::prelude::wasm_bindgen;

/// Smaller and faster than the standard library's, and in a module of one thread without a lock.
#[global_allocator]
static ALLOCATOR: Counted = Counted(new_wasm_dynamic_allocator());

static ASKED: AtomicU32 = AtomicU32::new(0);

struct Counted(WasmDynamicTalc);

fn count(bytes: usize) {
    ASKED.fetch_add(u32::try_from(bytes).unwrap_or(u32::MAX), Ordering::Relaxed);
}

#[expect(unsafe_code, reason = "an allocator is; all it does is done by the one inside")]
// SAFETY: every call goes on as it came.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as above.
        unsafe { self.0.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { self.0.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as above.
        unsafe { self.0.realloc(place, layout, size) }
    }
}

/// The number of bytes allocated so far, modulo 2^32.
#[wasm_bindgen]
#[must_use]
pub fn allocated() -> u32 {
    ASKED.load(Ordering::Relaxed)
}
