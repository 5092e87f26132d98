use changeover_wire::Table;
use yew::{Html, Properties, component, html};

/// The properties of [`DetailsTables`].
#[derive(PartialEq, Properties)]
pub struct DetailsTablesProps {
    /// The tables.
    pub tables: Vec<Table>,
}

/// The tables behind an explanation: the deletion order, the shares, conditions and annotations.
#[component]
pub fn DetailsTables(props: &DetailsTablesProps) -> Html {
    let tables = props.tables.iter().filter(|table| !table.rows.is_empty());
    tables.map(view_table).collect()
}

fn view_table(table: &Table) -> Html {
    html! {
        <div class="table" key={table.title.clone()} tabindex="0" role="group" aria-label={table.title.clone()}>
            <table>
                <caption>{ &table.title }</caption>
                <thead><tr>{ for table.columns.iter().map(|column| html! { <th scope="col">{ column }</th> }) }</tr></thead>
                <tbody>
                    { for table.rows.iter().map(|row| html! {
                        <tr class={row.marked.then_some("marked")}>
                            { for row.cells.iter().enumerate().map(|(index, cell)| if index == 0 {
                                html! { <th scope="row">{ cell }</th> }
                            } else {
                                html! { <td>{ cell }</td> }
                            }) }
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
