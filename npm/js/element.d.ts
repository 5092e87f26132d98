import type { Changes, ChangeoverError, Manifests, ScenarioOptions, Timeline } from './index.js';

/**
 * The element `<changeover-rollout>`: the pods of a rollout over time, the results, and the numbers as a table. Importing
 * `changeover/element` defines it.
 *
 * Set `timeline` to show an existing timeline; the element then doesn't load the WebAssembly module. Or set `manifest`,
 * and `changes` for a change other than a new image. The element redraws itself whenever you set a property.
 *
 * Colors are the custom properties `--changeover-available`, `--changeover-starting`, `--changeover-terminating` and
 * `--changeover-limit`. The element dispatches `changeover-shown`, or `changeover-failed` with the error as its `detail`.
 *
 * @example
 * import 'changeover/element';
 * const element = document.createElement('changeover-rollout');
 * element.manifest = yaml;
 * document.body.append(element);
 * @group Show
 */
export declare class ChangeoverRollout extends HTMLElement {
  /** The manifest of a Deployment, and other objects, as `scenario` accepts them. As an attribute, it is text. */
  manifest: Manifests | undefined;
  /** What changes, as `scenario` takes it; a new image by default. As an attribute, it is JSON. */
  changes: Changes | undefined;
  /** The cluster and the simulation, as `scenario` takes them. As an attribute, it is JSON. */
  options: ScenarioOptions | undefined;
  /** What is shown, instead of `manifest`. */
  timeline: Timeline | undefined;
  /** The Deployment, `name` or `namespace/name`; not needed if there is only one. Also an attribute. */
  deployment: string | undefined;
  /** The caption, and the beginning of the picture's accessible name. Also an attribute. */
  label: string | undefined;
}

/**
 * What the element takes in JSX, for a framework whose types you extend yourself. For React, import `changeover/element/react`.
 *
 * @group Show
 */
export interface RolloutProperties {
  /** The objects whose rollout it draws. */
  manifest?: Manifests | undefined;
  /** What changes. */
  changes?: Changes | undefined;
  /** The cluster and the simulation. */
  options?: ScenarioOptions | undefined;
  /** The timeline that it draws, instead of one of `manifest`. */
  timeline?: Timeline | undefined;
  /** The name of the Deployment, if there are several. */
  deployment?: string | undefined;
  /** What a screen reader says of the picture. */
  label?: string | undefined;
}

declare global {
  interface HTMLElementTagNameMap {
    'changeover-rollout': ChangeoverRollout;
  }
  interface HTMLElementEventMap {
    'changeover-shown': CustomEvent<null>;
    'changeover-failed': CustomEvent<ChangeoverError>;
  }
}
