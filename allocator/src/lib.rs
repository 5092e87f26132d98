//! The allocator of the modules that JavaScript calls: talc, with a memory that grows in large steps.
//!
//! V8 counts the whole memory as newly allocated whenever it grows, and soon collects garbage. Growing by as few pages as
//! possible, as talc and the standard library do, runs the collector 350 times in one simulation of 10,000 pods.

#![no_std]
#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

mod counting;

use core::alloc::Layout;
use core::arch::wasm32::{memory_grow, memory_size};
use core::ptr::{NonNull, with_exposed_provenance_mut};

use talc::base::binning::Binning;
use talc::base::{CHUNK_UNIT, Talc};
use talc::cell::TalcSyncCell;
use talc::source::Source;
use talc::wasm::WasmBinning;

pub use counting::Counting;

/// The size of a page of WebAssembly's memory, in bytes.
const PAGE: usize = 64 * 1024;

const MEGABYTE: usize = 1024 * 1024;

/// What a module declares as its `#[global_allocator]`.
pub type Allocator = TalcSyncCell<Memory, WasmBinning>;

/// An allocator that has no memory yet.
#[must_use]
pub const fn allocator() -> Allocator {
    TalcSyncCell::new_wasm(Memory { end: None })
}

/// The module's memory, as a source for talc. It grows by 1 MB and a quarter of its size, or by the size requested if that is more.
#[derive(Debug)]
pub struct Memory {
    /// The end of talc's heap.
    end: Option<NonNull<u8>>,
}

// SAFETY: `acquire` never allocates.
unsafe impl Source for Memory {
    fn acquire<B: Binning>(talc: &mut Talc<Self, B>, layout: Layout) -> Result<(), ()> {
        // Alignment may cost up to `align` bytes, and talc's own marks less than two of its units.
        let bytes = layout.size().saturating_add(layout.align()).saturating_add(2 * CHUNK_UNIT);
        let needed = bytes.div_ceil(PAGE);
        let step = (MEGABYTE / PAGE).saturating_add(memory_size::<0>() / 4);
        // Close to the limit of 4 GB, a whole step may be too much.
        let (start, bytes) = grow(needed.max(step)).or_else(|| grow(needed)).ok_or(())?;
        let base = with_exposed_provenance_mut(start);
        let end = match talc.source.end {
            // SAFETY: the new pages start at the heap's end, and nothing else uses them.
            Some(end) if end.as_ptr() == base => unsafe {
                talc.extend(end, with_exposed_provenance_mut(start.saturating_add(bytes)))
            },
            // SAFETY: nothing else uses the new pages.
            _ => unsafe { talc.claim(base, bytes) }.ok_or(())?,
        };
        talc.source.end = Some(end);
        Ok(())
    }
}

/// Grows the memory by a number of pages. Returns the address of the first one and the size of all in bytes.
fn grow(pages: usize) -> Option<(usize, usize)> {
    let before = memory_grow::<0>(pages);
    (before != usize::MAX).then(|| (before.saturating_mul(PAGE), pages.saturating_mul(PAGE)))
}
