//! Runs stages one after the other, and counts the failures.

use std::time::Instant;

use anyhow::Result;

/// The results of the stages so far.
#[derive(Default)]
pub struct Stages {
    lines: Vec<String>,
    errors: Vec<String>,
    passed: usize,
    failed: usize,
}

impl Stages {
    /// Runs one stage. A failure is printed and counted, and does not stop the others.
    pub fn run(&mut self, name: &str, stage: impl FnOnce() -> Result<()>) {
        println!("\n=== {name}");
        let start = Instant::now();
        let result = stage();
        let seconds = start.elapsed().as_secs();
        let word = if let Err(error) = &result {
            eprintln!("{error:#}");
            self.errors.push(format!("{name}: {error:#}"));
            self.failed = self.failed.saturating_add(1);
            "failed"
        } else {
            self.passed = self.passed.saturating_add(1);
            "passed"
        };
        let line = format!("{word} {seconds:>4} s  {name}");
        println!("--- {line}");
        self.lines.push(line);
    }

    /// Prints the summary, then the errors: people often see only the end of a long output.
    ///
    /// # Errors
    /// If a stage failed.
    pub fn finish(self) -> Result<()> {
        println!();
        for line in &self.lines {
            println!("{line}");
        }
        println!("{} passed, {} failed", self.passed, self.failed);
        for error in &self.errors {
            println!("\n{error}");
        }
        if self.failed > 0 {
            anyhow::bail!("not everything passed");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continues_after_a_failure_and_fails_at_the_end() {
        let mut stages = Stages::default();
        let mut ran = 0;
        stages.run("first", || anyhow::bail!("no"));
        stages.run("second", || {
            ran += 1;
            Ok(())
        });
        assert_eq!(ran, 1);
        assert_eq!((stages.passed, stages.failed), (1, 1));
        assert!(stages.finish().is_err());
    }
}
