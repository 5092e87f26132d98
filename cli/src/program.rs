//! The name of the program, as its user types it.

use std::fmt;

/// How the user runs the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// By its own name.
    Changeover,
    /// As a plugin of kubectl, which finds its plugins by their names.
    KubectlPlugin,
    /// As a tool of an agent, which calls the other commands as tools, too.
    Tool,
}

impl Program {
    /// The program at this path.
    pub fn of(path: &str) -> Self {
        let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
        if file.trim_end_matches(".exe") == "kubectl-changeover" { Self::KubectlPlugin } else { Self::Changeover }
    }

    /// What the user types.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Changeover | Self::Tool => "changeover",
            Self::KubectlPlugin => "kubectl changeover",
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubectl_finds_its_plugins_by_their_names() {
        for path in ["kubectl-changeover", "/home/me/.krew/bin/kubectl-changeover", "C:\\krew\\kubectl-changeover.exe"]
        {
            assert_eq!(Program::of(path), Program::KubectlPlugin, "{path}");
        }
        for path in ["changeover", "/usr/bin/changeover", "C:\\bin\\changeover.exe", ""] {
            assert_eq!(Program::of(path), Program::Changeover, "{path}");
        }
    }
}
