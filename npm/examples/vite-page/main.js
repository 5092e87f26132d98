import { ChangeoverError, scenario, simulate } from 'changeover';

const replicas = document.querySelector('#replicas');
const answer = document.querySelector('#answer');

function deployment() {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: replicas.valueAsNumber,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  };
}

function show() {
  try {
    const { peak, mostOver } = simulate(scenario(deployment(), { image: 'web:2' })).totals();
    answer.textContent = `At most ${peak} pods at once, ${mostOver} above the limit.`;
  } catch (error) {
    if (!(error instanceof ChangeoverError)) throw error;
    answer.textContent = error.message;
  }
}

replicas.addEventListener('input', show);
show();
