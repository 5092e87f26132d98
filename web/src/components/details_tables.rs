use changeover_wire::{Table, TableRow};
use yew::{Html, Properties, component, html};

use super::list_keys::keyed;

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
                <thead><tr>{ for keyed(&table.columns, Clone::clone).into_iter().map(|(key, column)| html! { <th key={key} scope="col">{ column }</th> }) }</tr></thead>
                <tbody>
                    { for keyed(&table.rows, row_name).into_iter().map(|(key, row)| html! {
                        <tr key={key} class={row.marked.then_some("marked")}>
                            { for row.cells.iter().enumerate().map(|(index, cell)| if index == 0 {
                                html! { <th key={index} scope="row">{ cell }</th> }
                            } else {
                                html! { <td key={index}>{ cell }</td> }
                            }) }
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

/// The text of a row's head.
fn row_name(row: &TableRow) -> String {
    row.cells.first().cloned().unwrap_or_default()
}
