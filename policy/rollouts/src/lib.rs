//! The policy without the settings that change objects, for the policy of rollouts. A crate of its own, so that cargo names the two
//! modules differently and compiles the core once for both.

use changeover_policy as _;
