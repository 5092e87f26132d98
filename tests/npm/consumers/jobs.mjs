// Plays a Job under both policies and prints the results.
import { scenario, simulate } from 'changeover';

const job = (podReplacementPolicy) => `
apiVersion: batch/v1
kind: Job
metadata: { name: train }
spec:
  completions: 3
  parallelism: 3
  completionMode: Indexed
  podReplacementPolicy: ${podReplacementPolicy}
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: app, image: train:1 }]
`;

function play(policy) {
  const made = scenario(job(policy), {}, { kubelet: [{ run: '1m', terminate: '20s' }] });
  made.actions.push({ at: '10s', evict: { name: 'train/1' } });
  const timeline = simulate(made);
  const { finished, mostOfIndex, peak, status } = timeline.jobTotals();
  const { jobs, summaries } = timeline.summary(timeline.seek('25s'));
  const waits = [...timeline].filter(({ reason }) => reason.rule === 'job.wait.terminating').length;
  const points = timeline.jobSeries('default/train');
  return {
    end: timeline.end.reason,
    totals: { finished: finished / 1000, mostOfIndex, peak, status },
    at25s: [summaries.length, jobs[0].counts.terminating, jobs[0].holding, jobs[0].status.terminating],
    waits,
    same: JSON.stringify(points[points.length - 1].status) === JSON.stringify(status),
  };
}

// A Job as a cluster stores it, and a quota.
const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'team' }, spec: { hard: { pods: '2' } } };
const [stored] = simulate(scenario(job('Failed'))).frame(1).objects;
const beside = scenario([quota, stored]);
const results = ['TerminatingOrFailed', 'Failed'].map(play);
console.log(JSON.stringify({ results, beside: [beside.objects.length, simulate(beside).jobTotals().peak] }));
