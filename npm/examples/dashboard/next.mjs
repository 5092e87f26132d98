// Usage: kubectl get nodes,deployments,replicasets,pods,resourcequotas,limitranges,pdb,pvc -o json | node next.mjs DEPLOYMENT
import { readFileSync } from 'node:fs';
import { live, simulate } from 'changeover';

const [name, now] = process.argv.slice(2);
const timeline = simulate(live(readFileSync(0, 'utf8'), { now }));

for (const { milliseconds, counts, old, over, complete } of timeline.series(name)) {
  const states = Object.entries(counts).filter(([, count]) => count > 0);
  const pods = states.map(([state, count]) => `${count} ${state}`).join(', ');
  console.log(`${milliseconds / 1000} s: ${pods}; ${old} old, ${over} over the limit${complete ? '; complete' : ''}`);
}
console.log(timeline.end.message);
