use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicU32, Ordering};

use crate::{Allocator, allocator};

/// An allocator that counts the allocated bytes.
pub struct Counting {
    allocator: Allocator,
    bytes: AtomicU32,
}

impl Counting {
    /// An allocator that has no memory yet.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a static needs a constant")]
    pub const fn new() -> Self {
        Self { allocator: allocator(), bytes: AtomicU32::new(0) }
    }

    /// The total of all bytes ever allocated, modulo 2^32.
    pub fn bytes(&self) -> u32 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn count(&self, bytes: usize) {
        self.bytes.fetch_add(u32::try_from(bytes).unwrap_or(u32::MAX), Ordering::Relaxed);
    }
}

// SAFETY: every call goes to the inner allocator, unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.count(layout.size());
        // SAFETY: the caller's guarantees are the same.
        unsafe { self.allocator.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's guarantees are the same.
        unsafe { self.allocator.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.count(size);
        // SAFETY: the caller's guarantees are the same.
        unsafe { self.allocator.realloc(block, layout, size) }
    }
}
