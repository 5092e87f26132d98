use changeover_wire::WorkloadKind;
use web_sys::HtmlSelectElement;
use yew::{Callback, Event, Html, Properties, TargetCast, component, html};

/// The workloads that have controls.
const CHOICES: [WorkloadKind; 2] = [WorkloadKind::Deployment, WorkloadKind::Job];

/// The properties of [`WorkloadChoice`].
#[derive(PartialEq, Properties)]
pub struct WorkloadChoiceProps {
    /// What is chosen.
    pub chosen: WorkloadKind,
    /// The user chooses.
    pub on_choose: Callback<WorkloadKind>,
}

/// The choice of what the sandbox plays.
#[component]
pub fn WorkloadChoice(props: &WorkloadChoiceProps) -> Html {
    let WorkloadChoiceProps { chosen, on_choose } = props;
    let on_select = on_choose.reform(|event: Event| {
        let selected = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value());
        selected.and_then(|name| WorkloadKind::of_name(&name)).unwrap_or_default()
    });
    html! {
        <div class="setting">
            <label for="workload">{ "Workload" }</label>
            <span class="typed">
                <select id="workload" onchange={on_select}>
                    { for CHOICES.map(|workload| html! {
                        <option value={workload.name()} selected={workload == *chosen}>{ workload.name() }</option>
                    }) }
                </select>
            </span>
        </div>
    }
}
