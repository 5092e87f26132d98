//! The command line's function on files in memory: reading, simulating and printing.

use std::collections::BTreeMap;
use std::time::Duration;

use changeover_benches::{CpuTime, criterion};
use changeover_cli::{Exit, Finished, FolderEntry, Host, HostError, PathContent, Terminals, run};
use changeover_core::object::Time;
use criterion::{Criterion, criterion_group, criterion_main};

/// A machine that only has files.
struct Files(BTreeMap<String, String>);

impl Host for Files {
    fn read(&mut self, path: &str) -> Result<PathContent, HostError> {
        if let Some(text) = self.0.get(path) {
            return Ok(PathContent::File(text.clone().into_bytes()));
        }
        let names = self.0.keys().filter_map(|file| file.strip_prefix(path)?.strip_prefix('/'));
        let entry = |name: &str| FolderEntry { name: name.to_owned(), is_folder: false };
        Ok(PathContent::Folder(names.map(entry).collect()))
    }

    fn read_stdin(&mut self) -> Result<Vec<u8>, HostError> {
        Err(HostError::NotFound)
    }

    fn run_kubectl(&mut self, _: &[String]) -> Result<Finished, HostError> {
        Err(HostError::NotFound)
    }

    fn print(&mut self, _: &str) {}

    fn print_error(&mut self, _: &str) {}

    fn terminals(&self) -> Terminals {
        Terminals::default()
    }

    fn now(&self) -> Time {
        Time(0)
    }

    fn sleep(&mut self, _: Duration) {}

    fn variable(&self, _: &str) -> Option<String> {
        None
    }
}

fn deployment(index: usize, version: u32) -> String {
    let replicas = index.rem_euclid(8).saturating_add(2);
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app-{index}\n  labels:\n    app: app-{index}\n\
         spec:\n  replicas: {replicas}\n  selector:\n    matchLabels:\n      app: app-{index}\n  template:\n    \
         metadata:\n      labels:\n        app: app-{index}\n    spec:\n      containers:\n        - name: app\n          \
         image: app-{index}:{version}\n          ports:\n            - containerPort: 8080\n          \
         readinessProbe:\n            httpGet:\n              path: /ready\n              port: 8080\n          \
         resources:\n            requests:\n              cpu: 250m\n              memory: 256Mi\n"
    )
}

fn config(index: usize) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config-{index}\ndata:\n  key: value\n  other: \"{index}\"\n"
    )
}

/// Two versions of a folder with Deployments and other objects.
fn folders(deployments: usize, others: usize) -> Files {
    let mut files = BTreeMap::new();
    for (folder, version) in [("old", 1), ("new", 2)] {
        for index in 0..deployments {
            files.insert(format!("{folder}/app-{index:04}.yaml"), deployment(index, version));
        }
        for index in 0..others {
            files.insert(format!("{folder}/config-{index:04}.yaml"), config(index));
        }
    }
    Files(files)
}

fn predict(criterion: &mut Criterion<CpuTime>) {
    let arguments = ["changeover", "predict", "old", "new"].map(str::to_owned);
    let mut group = criterion.benchmark_group("changeover predict");
    for (name, deployments, others) in [("50 Deployments", 50, 0), ("2000 documents", 50, 1950)] {
        let mut files = folders(deployments, others);
        group.bench_function(name, |bencher| {
            bencher.iter(|| assert_eq!(run(&mut files, &arguments), Exit::Clean));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = predict
}
criterion_main!(benches);
