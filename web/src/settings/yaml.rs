//! The settings as a person writes them in YAML.

use changeover_wire::to_yaml;
use serde_json::Value;

use super::Settings;

impl Settings {
    /// The Deployment and the objects beside it, as a person writes them.
    pub fn to_yaml(&self) -> String {
        let objects = [self.deployment(None)].into_iter().chain(self.objects()).chain(self.node_objects());
        let mut objects: Vec<Value> = objects.collect();
        for object in &mut objects {
            // It goes without saying.
            if let Some(metadata) = object.pointer_mut("/metadata").and_then(Value::as_object_mut) {
                metadata.remove("namespace");
            }
        }
        to_yaml(&objects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Field;

    #[test]
    fn it_is_what_a_person_writes() {
        let mut settings = Settings::default();
        settings.set_text(Field::MaxSurge, String::from("1"));
        settings.set_text(Field::MinReadySeconds, String::new());
        settings.set_text(Field::QuotaPods, String::from("20"));
        settings.set_text(Field::PreStop, String::from("5"));
        settings.set_text(Field::Nodes, String::from("1"));
        settings.set_text(Field::PodsPerNode, String::from("8"));
        let expected = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 15
  progressDeadlineSeconds: 600
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 25%
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      terminationGracePeriodSeconds: 30
      containers:
        - name: web
          image: example/web:v1
          lifecycle:
            preStop:
              sleep:
                seconds: 5
---
apiVersion: v1
kind: ResourceQuota
metadata:
  name: pods
spec:
  hard:
    pods: 20
---
apiVersion: v1
kind: Node
metadata:
  name: node-a
status:
  allocatable:
    pods: 8
";
        assert_eq!(settings.to_yaml(), expected);
    }
}
