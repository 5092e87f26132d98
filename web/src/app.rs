//! The root of the page: what is shared by the stories and the sandbox.

use std::rc::Rc;

use js_sys::Function;
use web_sys::Worker;
use yew::{
    Callback, ContextProvider, Html, Properties, component, html, use_effect_with, use_memo, use_state, use_state_eq,
};
use yew_router::BrowserRouter;
use yew_router::components::Link;
use yew_router::hooks::{use_navigator, use_route};

use crate::components::{
    Header, HelpDialog, JobSandbox, SandboxInputs, SandboxPage, SandboxWorkload, StoryPage, WorkloadChoice,
};
use crate::dom;
use crate::files::StoryFiles;
use crate::job_settings::JobSettings;
use crate::picture::Patterns;
use crate::player_client::PlayerClient;
use crate::route::Route;
use crate::settings::Settings;
use crate::workbench::Workbench;

/// The properties of [`App`].
#[derive(PartialEq, Properties)]
pub struct AppProps {
    /// The worker of the player.
    pub worker: Worker,
    /// Starts another worker.
    pub start_worker: Function,
    /// What knows manifests, loaded when it is first asked.
    pub workbench: Rc<Workbench>,
    /// The files of the stories.
    pub files: Rc<StoryFiles>,
}

/// The page.
#[component]
pub fn App(props: &AppProps) -> Html {
    let client = use_memo((props.worker.clone(), props.start_worker.clone()), |(worker, start_worker)| {
        PlayerClient::new(worker.clone(), start_worker.clone())
    });
    html! {
        <ContextProvider<Rc<PlayerClient>> context={(*client).clone()}>
            <ContextProvider<Rc<StoryFiles>> context={props.files.clone()}>
                <ContextProvider<Rc<Workbench>> context={props.workbench.clone()}>
                    <BrowserRouter><Pages /></BrowserRouter>
                </ContextProvider<Rc<Workbench>>>
            </ContextProvider<Rc<StoryFiles>>>
        </ContextProvider<Rc<PlayerClient>>>
    }
}

/// The page of the current address.
#[component]
fn Pages() -> Html {
    let route = use_route::<Route>().unwrap_or(Route::NotFound);
    let navigator = use_navigator();
    let inputs = use_state(SandboxInputs::default);
    let workload = use_state_eq(SandboxWorkload::default);
    let job_settings = use_state_eq(JobSettings::default);
    let help = use_state_eq(|| false);
    let character_shortcuts = use_state_eq(dom::character_shortcuts);
    // Only the first page plays by itself.
    let first_route = use_memo((), |()| route.clone());
    let is_first_page = *first_route == route;
    use_effect_with(route.clone(), move |_| {
        if !is_first_page {
            dom::restore_focus();
        }
    });
    let on_help = {
        let help = help.setter();
        Callback::from(move |open| help.set(open))
    };
    let on_open_in_sandbox = {
        let (inputs, workload) = (inputs.clone(), workload.setter());
        Callback::from(move |settings: Settings| {
            workload.set(SandboxWorkload::Deployment);
            inputs.set(SandboxInputs { settings, ..(*inputs).clone() });
            if let Some(navigator) = &navigator {
                navigator.push(&Route::Sandbox);
            }
        })
    };
    let set_workload = workload.setter();
    let story = |name: Option<String>| {
        html! {
            <StoryPage {name} {is_first_page} character_shortcuts={*character_shortcuts}
                on_help={on_help.clone()} on_open_in_sandbox={on_open_in_sandbox.clone()} />
        }
    };
    let workload_choice = html! {
        <WorkloadChoice chosen={*workload} on_choose={Callback::from(move |chosen| set_workload.set(chosen))} />
    };
    html! {
        <>
            <Patterns />
            <Header route={route.clone()} on_help={on_help.reform(|()| true)} />
            { match &route {
                Route::Home => story(None),
                Route::Story { name } => story(Some(name.clone())),
                Route::Sandbox if *workload == SandboxWorkload::Job => html! {
                    <JobSandbox {workload_choice} settings={(*job_settings).clone()}
                        on_change={Callback::from(move |changed| job_settings.set(changed))}
                        character_shortcuts={*character_shortcuts} on_help={on_help.clone()} />
                },
                Route::Sandbox => html! {
                    <SandboxPage {workload_choice} inputs={(*inputs).clone()} on_change={Callback::from(move |changed| inputs.set(changed))}
                        character_shortcuts={*character_shortcuts} on_help={on_help.clone()} />
                },
                Route::NotFound => html! {
                    <main id="main" class="loading">
                        <h1>{ "There is nothing at this address" }</h1>
                        <p><Link<Route> to={Route::Home}>{ "Go to the stories" }</Link<Route>></p>
                    </main>
                },
            } }
            <HelpDialog is_open={*help} on_close={on_help.reform(|()| false)} character_shortcuts={*character_shortcuts}
                on_character_shortcuts={Callback::from(move |on| {
                    dom::remember_character_shortcuts(on);
                    character_shortcuts.set(on);
                })} />
        </>
    }
}
