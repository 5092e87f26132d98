//! The policy without the simulation, for the policies of deletion costs and of Jobs. A crate of its own, so that cargo names the two
//! modules differently and compiles the core once for both.

use changeover_policy as _;
