// Uses every function of the package once. The result must be the same from every entry point.
export function exercise(changeover, deployment) {
  const { ChangeoverError, deletionCost, rank, review, scenario, simulate, validateSettings } = changeover;
  const timeline = simulate(scenario(deployment, { image: 'web:2' }));
  const last = timeline.frame(timeline.length);
  const forked = timeline.fork(1, { scale: { name: 'web', replicas: 7 } });
  const pod = (name, cost) => ({
    metadata: { name, annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } },
    spec: { nodeName: 'node' },
  });
  let error;
  try {
    scenario({ ...deployment, spec: { ...deployment.spec, replicas: -1 } });
  } catch (thrown) {
    error = { isError: thrown instanceof Error, isOurs: thrown instanceof ChangeoverError, code: thrown.code, path: thrown.path, message: thrown.message };
    const copy = ChangeoverError.from(structuredClone(thrown));
    error.copied = JSON.stringify(copy) === JSON.stringify(thrown) && copy instanceof ChangeoverError;
    error.ofNothing = ChangeoverError.from(null).code;
  }
  const { steps, sentences } = { steps: [...timeline.steps(2, 9)], sentences: timeline.sentences(2, 9) };
  const sentenceOf = ({ step, milliseconds, about, reason: { sentence } }) => ({ step, milliseconds, about, sentence });
  return {
    steps: timeline.length,
    sentences: JSON.stringify(sentences) === JSON.stringify(steps.map(sentenceOf).map(({ about, milliseconds, sentence, step }) => ({ about, milliseconds, sentence, step }))),
    end: timeline.end.reason,
    peak: Math.max(...Array.from({ length: timeline.length + 1 }, (_, frame) => timeline.frame(frame).summaries[0].holding)),
    counts: last.summaries[0].counts,
    back: timeline.frame(0).summaries[0].counts,
    forked: forked.frame(forked.length).summaries[0].counts.available,
    cost: deletionCost('-5'),
    order: rank([pod('a', '10'), pod('b', '-10')], { count: 1, now: '2026-01-01T00:00:00Z' }).pods.map(({ name }) => name),
    validated: validations(changeover, deployment),
    settings: validateSettings({}).valid,
    review: review({ request: { uid: '1', operation: 'CREATE', object: deployment } }, {}).allowed,
    error,
  };
}

// A text with an invalid document and one of another kind; an object; an update; a text that can't be read.
function validations({ ChangeoverError, validate }, deployment) {
  const yaml = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  strategy:
    rollingUpdate: {maxSurge: 0, maxUnavailable: 0%}
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations:
        controller.kubernetes.io/pod-deletion-cost: '+10'
    spec:
      containers:
      - name: web
        resizePolicy: []
---
apiVersion: v1
kind: Service
`;
  const json = JSON.stringify({ ...deployment, spec: { ...deployment.spec, replicas: -1 } }, null, 2);
  const renamed = structuredClone(deployment);
  renamed.spec.selector.matchLabels.app = 'other';
  const messages = (input, options) => validate(input, options).map(({ problems }) => problems.map(({ message }) => message));
  let unreadable;
  try {
    validate('kind: Pod\n}\n');
  } catch (error) {
    unreadable = { isOurs: error instanceof ChangeoverError, code: error.code, line: error.line, column: error.column };
  }
  return {
    yaml: validate(yaml).map(({ object, ...rest }) => rest),
    json: validate(json)[0].problems,
    defaulted: validate(deployment)[0].object.spec.strategy,
    list: messages({ kind: 'List', apiVersion: 'v1', items: [deployment, renamed] }),
    update: messages([renamed], { old: deployment }),
    gate: validate(
      { ...deployment, spec: { ...deployment.spec, podReplacementPolicy: 'TerminationComplete' } },
      { featureGates: { DeploymentPodReplacementPolicy: true } },
    )[0].object.spec.podReplacementPolicy,
    unreadable,
  };
}
