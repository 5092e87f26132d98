//! What the page is opened with.

use std::cell::RefCell;
use std::rc::Rc;

use super::js_bindings::ShareTools;
use super::state::{SharedState, StateProblem};
use crate::dom;

/// A state that an address or a file brings to the page.
#[derive(Clone, Debug, Default)]
pub struct DeepLink {
    /// Grows with each deep link.
    pub number: u32,
    /// The path of the address.
    pub path: String,
    /// Why the address can't be read.
    pub problem: Option<StateProblem>,
    /// What it brings, until it is taken.
    state: Rc<RefCell<Option<SharedState>>>,
}

impl PartialEq for DeepLink {
    /// Each is numbered.
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl DeepLink {
    /// A deep link with a state.
    pub fn new(number: u32, state: Option<SharedState>) -> Self {
        Self { number, path: dom::path(), problem: None, state: Rc::new(RefCell::new(state)) }
    }

    /// What the page is opened with.
    pub async fn at_start(tools: &ShareTools) -> Self {
        let first = Self::at_address(tools, 0).await;
        if first.is_empty() { Self::new(0, tools.state_as_left().await) } else { first }
    }

    /// What the current address brings.
    pub async fn at_address(tools: &ShareTools, number: u32) -> Self {
        match tools.address_state().await {
            Ok(state) => Self::new(number, state),
            Err(problem) => Self { problem: Some(problem), ..Self::new(number, None) },
        }
    }

    /// Whether the address says nothing.
    pub fn is_empty(&self) -> bool {
        self.problem.is_none() && self.state.borrow().is_none()
    }

    /// A part of the state, if it was not taken.
    pub fn peek<T>(&self, part: impl FnOnce(&SharedState) -> Option<T>) -> Option<T> {
        self.state.borrow().as_ref().and_then(part)
    }

    /// The state, for the page that restores it; once, so that a later visit of that page begins as usual.
    pub fn take(&self) -> Option<SharedState> {
        self.state.take()
    }
}
