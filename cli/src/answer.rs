//! What a command answers.

use crate::Exit;
use crate::host::Host;

/// A command's answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer in each format that was asked for, in their order.
    pub texts: Vec<String>,
    /// How the command ends.
    pub exit: Exit,
}

impl Answer {
    /// Prints the texts.
    pub fn print(&self, host: &mut dyn Host) -> Exit {
        self.texts.iter().for_each(|text| host.print(text));
        self.exit
    }
}
