use std::rc::Rc;

use yew::{hook, use_context};

use crate::components::SandboxInputs;
use crate::player_client::PlayerClient;
use crate::workbench::Workbench;

/// The player for what the sandbox plays: the workbench's for the user's own manifests.
#[hook]
pub fn use_sandbox_player(inputs: &SandboxInputs) -> Option<Rc<PlayerClient>> {
    let (player, workbench) = (use_context::<Rc<PlayerClient>>(), use_context::<Rc<Workbench>>());
    let own = workbench.filter(|_| inputs.manifests().is_some()).and_then(|workbench| workbench.player());
    own.or(player)
}
