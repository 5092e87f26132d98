use std::rc::Rc;

use changeover_wire::WorkloadKind;
use yew::{hook, use_context};

use crate::player_client::PlayerClient;
use crate::sandbox_inputs::SandboxInputs;
use crate::workbench::Workbench;

/// The player for what the sandbox plays: the workbench's for Jobs, and for the user's own manifests.
#[hook]
pub fn use_sandbox_player(inputs: &SandboxInputs) -> Option<Rc<PlayerClient>> {
    let (player, workbench) = (use_context::<Rc<PlayerClient>>(), use_context::<Rc<Workbench>>());
    let needs_workbench = inputs.manifests().is_some() || inputs.workload != WorkloadKind::Deployment;
    if needs_workbench { workbench.map(|workbench| workbench.player()) } else { player }
}
