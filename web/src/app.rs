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
    ApiServerPage, EmbedPage, Header, HelpDialog, JobSandbox, ReviewInputs, SandboxInputs, SandboxPage,
    SandboxWorkload, StoryPage, WorkloadChoice,
};
use crate::dom;
use crate::files::StoryFiles;
use crate::hooks::{Arrivals, use_arrivals};
use crate::job_settings::JobSettings;
use crate::manifests::{SandboxSource, SandboxView};
use crate::picture::Patterns;
use crate::player_client::PlayerClient;
use crate::route::Route;
use crate::settings::Settings;
use crate::share::{Arrival, ShareTools};
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
    /// The browser's tools for sharing.
    pub tools: ShareTools,
    /// What the address holds.
    pub arrival: Arrival,
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
                <ContextProvider<ShareTools> context={props.tools.clone()}>
                    <ContextProvider<Rc<Workbench>> context={props.workbench.clone()}>
                        <BrowserRouter><Pages first_arrival={props.arrival.clone()} /></BrowserRouter>
                    </ContextProvider<Rc<Workbench>>>
                </ContextProvider<ShareTools>>
            </ContextProvider<Rc<StoryFiles>>>
        </ContextProvider<Rc<PlayerClient>>>
    }
}

#[derive(PartialEq, Properties)]
struct PagesProps {
    first_arrival: Arrival,
}

/// The page of the current address.
#[component]
fn Pages(props: &PagesProps) -> Html {
    let route = use_route::<Route>().unwrap_or(Route::NotFound);
    let navigator = use_navigator();
    let Arrivals { arrival, inputs, on_open } = use_arrivals(&props.first_arrival);
    let review = use_state(ReviewInputs::default);
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
            let source = SandboxSource::Controls;
            inputs.set(SandboxInputs { settings, source, view: SandboxView::Controls, ..(*inputs).clone() });
            if let Some(navigator) = &navigator {
                navigator.push(&Route::Sandbox);
            }
        })
    };
    // In somebody else's page there is only the picture; a query is enough, for hosts that serve files only.
    let embedded_story = use_memo((), |()| dom::query_parameter("embed"));
    if route == Route::Embed || embedded_story.is_some() {
        return html! {
            <>
                <Patterns />
                { view_problem(&arrival) }
                <EmbedPage story={(*embedded_story).clone()} arrival={(*arrival).clone()} />
            </>
        };
    }
    let set_workload = workload.setter();
    let story = |name: Option<String>| {
        html! {
            <StoryPage {name} {is_first_page} arrival={(*arrival).clone()} on_open={on_open.clone()} character_shortcuts={*character_shortcuts}
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
            { view_problem(&arrival) }
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
                        arrival={(*arrival).clone()} {on_open}
                        character_shortcuts={*character_shortcuts} on_help={on_help.clone()} />
                },
                Route::ApiServer => html! {
                    <ApiServerPage inputs={(*review).clone()}
                        on_change={Callback::from(move |changed| review.set(changed))} />
                },
                Route::Embed | Route::NotFound => html! {
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

/// Why the address could not be read, while it is still the address.
fn view_problem(arrival: &Arrival) -> Html {
    let problem = arrival.problem.filter(|_| arrival.path == dom::path());
    problem
        .map(|problem| html! { <p class="problem notice" role="alert">{ problem.of_address() }</p> })
        .unwrap_or_default()
}
