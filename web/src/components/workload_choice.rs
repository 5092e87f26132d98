use web_sys::HtmlSelectElement;
use yew::{Callback, Event, Html, Properties, TargetCast, component, html};

/// What the sandbox plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxWorkload {
    /// The rollout of a Deployment.
    #[default]
    Deployment,
    /// A Job.
    Job,
}

impl SandboxWorkload {
    const ALL: [Self; 2] = [Self::Deployment, Self::Job];

    const fn name(self) -> &'static str {
        match self {
            Self::Deployment => "Deployment",
            Self::Job => "Job",
        }
    }
}

/// The properties of [`WorkloadChoice`].
#[derive(PartialEq, Properties)]
pub struct WorkloadChoiceProps {
    /// What is chosen.
    pub chosen: SandboxWorkload,
    /// The user chooses.
    pub on_choose: Callback<SandboxWorkload>,
}

/// The choice of what the sandbox plays.
#[component]
pub fn WorkloadChoice(props: &WorkloadChoiceProps) -> Html {
    let WorkloadChoiceProps { chosen, on_choose } = props;
    let on_select = on_choose.reform(|event: Event| {
        let selected = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value());
        if selected.as_deref() == Some(SandboxWorkload::Job.name()) {
            SandboxWorkload::Job
        } else {
            SandboxWorkload::Deployment
        }
    });
    html! {
        <div class="setting">
            <label for="workload">{ "Workload" }</label>
            <span class="typed">
                <select id="workload" onchange={on_select}>
                    { for SandboxWorkload::ALL.map(|workload| html! {
                        <option value={workload.name()} selected={workload == *chosen}>{ workload.name() }</option>
                    }) }
                </select>
            </span>
        </div>
    }
}
