use yew::{Html, html};

use crate::hooks::{AddressReach, KeptBecause};

/// That the address does not say what was set.
pub fn view_link_note(reach: AddressReach) -> Html {
    let sentence = match reach {
        AddressReach::Everywhere => "",
        AddressReach::ThisTab(KeptBecause::TooLarge) => {
            "This is too large for a link. This tab keeps it until you close the tab."
        }
        AddressReach::ThisTab(KeptBecause::Unreadable) => {
            "Text that can't be read is not put into the address. This tab keeps it until you close the tab."
        }
        AddressReach::ThisTab(KeptBecause::NoRoomInHistory) => {
            "Your browser's history has no room for this text. This tab keeps it until you close the tab."
        }
        AddressReach::Nowhere => {
            "This is too large to be kept: if you reload the page, it is lost. Keep your own copy of the text."
        }
    };
    // While a text is typed, it often can't be read for a moment.
    let is_passing = reach == AddressReach::ThisTab(KeptBecause::Unreadable);
    html! { <p class="note" role={(!is_passing).then_some("status")}>{ sentence }</p> }
}
