import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { ChangeoverRollout, RolloutProperties } from './element.js';

export * from './element.js';

/** The events, as React 19 takes those of custom elements. */
type RolloutEvents = {
  [Name in 'changeover-shown' | 'changeover-failed' as `on${Name}`]?: ((event: HTMLElementEventMap[Name]) => void) | undefined;
};

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'changeover-rollout': DetailedHTMLProps<HTMLAttributes<ChangeoverRollout>, ChangeoverRollout> & RolloutProperties & RolloutEvents;
    }
  }
}
