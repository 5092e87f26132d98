//! The allocator of the modules that JavaScript calls: talc, with memory that grows in large steps.
//!
//! V8 counts the whole memory as newly allocated whenever it grows, and soon collects garbage. Growing by as few pages
//! as possible, as talc and the standard library do, triggers 350 collections in one simulation of 10,000 pods.

#![no_std]
#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

mod counting;

use core::alloc::{GlobalAlloc, Layout};
use core::arch::wasm32::{memory_grow, memory_size};
use core::ptr::{NonNull, with_exposed_provenance_mut};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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
pub struct Allocator {
    talc: TalcSyncCell<Memory, WasmBinning>,
    in_use: AtomicUsize,
    is_exhausted: AtomicBool,
}

impl Allocator {
    /// The bytes that are allocated now.
    pub fn in_use(&self) -> usize {
        self.in_use.load(Ordering::Relaxed)
    }

    /// Whether memory ran out. After that a Rust module traps, and the trap itself does not say why.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted.load(Ordering::Relaxed)
    }
}

/// An allocator that has no memory yet.
#[must_use]
pub const fn allocator() -> Allocator {
    Allocator {
        talc: TalcSyncCell::new_wasm(Memory { end: None }),
        in_use: AtomicUsize::new(0),
        is_exhausted: AtomicBool::new(false),
    }
}

// SAFETY: every call goes to talc, unchanged.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's guarantees are the same.
        let block = unsafe { self.talc.alloc(layout) };
        if block.is_null() {
            self.is_exhausted.store(true, Ordering::Relaxed);
        } else {
            self.in_use.fetch_add(layout.size(), Ordering::Relaxed);
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.in_use.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's guarantees are the same.
        unsafe { self.talc.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's guarantees are the same.
        let moved = unsafe { self.talc.realloc(block, layout, size) };
        if moved.is_null() {
            self.is_exhausted.store(true, Ordering::Relaxed);
        } else {
            self.in_use.fetch_add(size.wrapping_sub(layout.size()), Ordering::Relaxed);
        }
        moved
    }
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

/// How many pages the memory may have.
static MOST_PAGES: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Sets how many bytes of memory the module may have. What it has already, it keeps.
pub fn limit_memory(bytes: usize) {
    MOST_PAGES.store(bytes / PAGE, Ordering::Relaxed);
}

/// Grows the memory by a number of pages. Returns the address of the first one and the size of all in bytes.
fn grow(pages: usize) -> Option<(usize, usize)> {
    if memory_size::<0>().saturating_add(pages) > MOST_PAGES.load(Ordering::Relaxed) {
        return None;
    }
    let before = memory_grow::<0>(pages);
    (before != usize::MAX).then(|| (before.saturating_mul(PAGE), pages.saturating_mul(PAGE)))
}
