import 'changeover/element/react';
import type { Changes } from 'changeover';

const changes: Changes = { image: 'web:2' };
export const rollout = (
  <changeover-rollout
    manifest="kind: Deployment"
    changes={changes}
    options={{ mode: 'realistic' }}
    label="Our release"
    className="wide"
    onchangeover-failed={({ detail }) => console.log(detail.code)}
  />
);
// @ts-expect-error a label is text
export const wrong = <changeover-rollout label={5} />;
