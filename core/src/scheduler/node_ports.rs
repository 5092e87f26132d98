//! Ports of nodes that pods ask for.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde_json::Value;

use super::status::{Plugin, Status};
use crate::object::unstructured::{integer, string};
use crate::object::{PodSpecFields, Unknown};

/// Upstream: `pkg/scheduler/framework/plugins/nodeports/node_ports.go ErrReason`
pub(crate) const PORTS_TAKEN: &str = "node(s) didn't have free ports for the requested pod ports";

/// The address that stands for all of a node's.
const ANY_ADDRESS: &str = "0.0.0.0";

/// A port of a node, by address and protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPort {
    address: String,
    protocol: String,
    port: i64,
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, protocol, port } = self;
        write!(f, "{protocol} {address}:{port}")
    }
}

impl HostPort {
    #[cfg(feature = "explain")]
    pub(crate) const fn port(&self) -> i64 {
        self.port
    }

    /// Whether only one of both can be taken.
    ///
    /// Upstream: `k8s.io/kube-scheduler/framework/types.go HostPortInfo.CheckConflict`
    pub(crate) fn clashes_with(&self, other: &Self) -> bool {
        self.port == other.port
            && self.protocol == other.protocol
            && (self.address == other.address || [&self.address, &other.address].iter().any(|ip| *ip == ANY_ADDRESS))
    }
}

/// The ports that a pod asks for. On its node's network, each port of a container is one of the node: the API server defaults it.
///
/// Upstream: `pkg/scheduler/util/utils.go GetHostPorts`
pub(crate) fn host_ports(fields: &PodSpecFields) -> Vec<HostPort> {
    let is_on_host = fields.unknown.get("hostNetwork") == Some(&Value::Bool(true));
    let sidecars = fields.init_containers.iter().filter(|init| init.restart_policy.as_deref() == Some("Always"));
    let of = |unknown: &Unknown| {
        let ports = unknown.get("ports").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        ports.iter().filter_map(|port| host_port(port, is_on_host)).collect::<Vec<_>>()
    };
    sidecars.chain(&fields.containers).flat_map(|container| of(&container.unknown)).collect()
}

/// Whether pods with these ports leave others free for a pod.
///
/// Upstream: `pkg/scheduler/framework/plugins/nodeports/node_ports.go NodePorts.Filter`
pub(super) fn filter(ports: &[HostPort], taken: &[HostPort]) -> Option<Status> {
    let clashes = |taken: &HostPort| ports.iter().any(|port| port.clashes_with(taken));
    taken.iter().any(clashes).then(|| Status::unschedulable(Plugin::NodePorts, PORTS_TAKEN))
}

fn host_port(port: &Value, is_on_host: bool) -> Option<HostPort> {
    let given = |key: &str| integer(port, key).filter(|number| *number > 0);
    let number = given("hostPort").or_else(|| given("containerPort").filter(|_| is_on_host))?;
    let or = |key: &str, default: &str| match string(port, key) {
        "" => String::from(default),
        given => String::from(given),
    };
    Some(HostPort { address: or("hostIP", ANY_ADDRESS), protocol: or("protocol", "TCP"), port: number })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::object::Pod;

    fn ports_of(spec: Value) -> Vec<HostPort> {
        host_ports(&serde_json::from_value::<Pod>(json!({ "spec": spec })).unwrap().spec.fields)
    }

    #[test]
    fn sidecars_and_the_network_of_the_node_ask_for_ports() {
        let ports = json!([{ "containerPort": 80 }]);
        let init = json!([{ "name": "once", "ports": [{ "containerPort": 1, "hostPort": 1 }] },
            { "name": "beside", "restartPolicy": "Always", "ports": [{ "containerPort": 2, "hostPort": 3 }] }]);
        let spec = |on_host: bool| json!({ "hostNetwork": on_host, "initContainers": init, "containers": [{ "name": "app", "ports": ports }] });
        let numbers = |spec| ports_of(spec).iter().map(|port| port.port).collect::<Vec<_>>();
        assert_eq!((numbers(spec(false)), numbers(spec(true))), (Vec::from([3]), Vec::from([3, 80])));
    }

    #[test]
    fn one_address_clashes_with_all_of_them() {
        let port = |given: Value| ports_of(json!({ "containers": [{ "name": "app", "ports": [given] }] })).remove(0);
        let any = port(json!({ "hostPort": 80 }));
        let one = port(json!({ "hostPort": 80, "hostIP": "10.0.0.1" }));
        let other = port(json!({ "hostPort": 80, "hostIP": "10.0.0.2" }));
        let udp = port(json!({ "hostPort": 80, "protocol": "UDP" }));
        assert!(any.clashes_with(&one) && one.clashes_with(&any) && one.clashes_with(&one));
        assert!(!one.clashes_with(&other) && !any.clashes_with(&udp));
    }
}
