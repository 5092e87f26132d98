// Objects of common type libraries are accepted unchanged.
import type { V1Deployment, V1DeploymentList, V1Node, V1NodeList, V1Pod, V1PodList, V1ReplicaSet } from '@kubernetes/client-node';
import type { Deployment, DeploymentList } from 'kubernetes-types/apps/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { live, predict, rank, rankFor, scenario, validate, type Manifest, type Scenario } from 'changeover';

/** What a user might write by hand. */
interface OwnDeployment {
  apiVersion: 'apps/v1';
  kind: 'Deployment';
  metadata: { name: string; labels?: Record<string, string> };
  spec: { replicas?: number; selector: { matchLabels: Record<string, string> }; template: object };
}

export function ofClientNode(deployment: V1Deployment, list: V1DeploymentList, replicaSet: V1ReplicaSet, pods: V1Pod[]) {
  const made: Scenario[] = [scenario(deployment), scenario(deployment, { to: deployment }), live(list), live([deployment, ...pods])];
  validate([deployment, replicaSet], { old: list });
  return [made, rank(pods), rankFor(replicaSet, [replicaSet, ...pods]), rank(pods, { relatedPods: pods })];
}

/** The lists that a client returns, whose items have no kind. */
export function ofLists(deployments: V1DeploymentList, pods: V1PodList, nodes: V1NodeList, node: V1Node) {
  predict([deployments, pods], [], { nodes: [node, nodes] });
  scenario([deployments, node], {}, { nodes });
  return [live([deployments, pods, nodes]), rankFor('web-7d4b9c', [deployments, pods])];
}

export function ofKubernetesTypes(deployment: Deployment, list: DeploymentList, pods: Pod[]) {
  return [scenario(deployment, { patch: deployment }), live(list), validate(list), rank(pods)];
}

export function ofOwnInterfaces(deployment: OwnDeployment, pods: readonly OwnDeployment[]) {
  const manifest: Manifest = deployment;
  const made: Scenario = { version: 1, objects: [deployment, manifest], actions: [{ at: '5s', apply: deployment }] };
  return [made, scenario(deployment), live(pods)];
}
