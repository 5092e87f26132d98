//! Runs stages one after the other or in lanes, and counts the failures.

use std::thread;
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

    /// Runs lanes of stages at the same time, for stages that leave a core idle. What they print is mixed; the summary has their
    /// order.
    pub fn run_lanes(&mut self, lanes: &[&(dyn Fn(&mut Self) + Sync)]) {
        let run = |lane: &(dyn Fn(&mut Self) + Sync)| {
            let mut stages = Self::default();
            lane(&mut stages);
            stages
        };
        thread::scope(|scope| {
            let threads: Vec<_> = lanes.iter().map(|lane| scope.spawn(move || run(*lane))).collect();
            for thread in threads {
                match thread.join() {
                    Ok(lane) => self.append(lane),
                    Err(_) => self.run("a lane of stages", || anyhow::bail!("a thread panicked")),
                }
            }
        });
    }

    fn append(&mut self, other: Self) {
        self.lines.extend(other.lines);
        self.errors.extend(other.errors);
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
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
    fn lanes_are_summed_up_in_their_order() {
        let mut stages = Stages::default();
        let slow = |stages: &mut Stages| {
            thread::sleep(std::time::Duration::from_millis(50));
            stages.run("first", || Ok(()));
        };
        let failing = |stages: &mut Stages| stages.run("second", || anyhow::bail!("no"));
        stages.run_lanes(&[&slow, &failing]);
        assert_eq!((stages.passed, stages.failed), (1, 1));
        assert!(stages.lines[0].ends_with("first") && stages.lines[1].ends_with("second"), "{:?}", stages.lines);
        assert_eq!(stages.errors, ["second: no"]);
    }

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
