// `<changeover-rollout>`: what a rollout does, in any page. It builds everything with the DOM's own functions, so that it needs
// no exception from a content security policy or from Trusted Types.
const SVG = 'http://www.w3.org/2000/svg';

/** The size of the picture's own units. */
const WIDTH = 600;
const HEIGHT = 240;

/** More changes than this are too many for a table. */
const MOST_ROWS = 300;

/** The bands from the bottom up: their class, their name, and how many pods of a point are in them. */
const BANDS = [
  ['available', 'available', ({ counts }) => counts.available],
  ['starting', 'starting', ({ counts }) => counts.ready + counts.starting + counts.pending + counts.unknown],
  ['terminating', 'terminating', ({ counts }) => counts.terminating],
];

const STYLE = `
  :host { display: block; font: 0.875rem/1.4 system-ui, sans-serif; font-variant-numeric: tabular-nums; color-scheme: light dark; }
  :host([hidden]) { display: none; }
  figure { margin: 0; }
  figcaption { font-weight: 600; }
  dl { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; margin: 0.5rem 0; }
  dl div { display: flex; gap: 0.375rem; }
  dd { order: -1; margin: 0; font-weight: 700; }
  svg { display: block; width: 100%; height: auto; }
  text { font-size: 13px; fill: currentColor; }
  .available { fill: var(--changeover-available, #3cba92); }
  .starting { fill: var(--changeover-starting, #c4eadd); }
  .terminating { fill: var(--changeover-terminating, #0072b2); }
  .limit { fill: none; stroke: var(--changeover-limit, #d55e00); stroke-width: 2; }
  .over { font-weight: 700; fill: var(--changeover-limit, #d55e00); }
  ul { display: flex; flex-wrap: wrap; gap: 0.125rem 1rem; margin: 0.25rem 0; padding: 0; list-style: none; }
  li svg { display: inline-block; width: 0.75rem; height: 0.75rem; margin-right: 0.25rem; }
  .table { overflow-x: auto; }
  table { border-collapse: collapse; }
  th, td { padding: 0.125rem 0.75rem 0.125rem 0; text-align: right; font-weight: 400; }
  .problem { color: var(--changeover-limit, #d55e00); }
`;

// In Node there are no elements; then the class can be imported, and nothing else.
const Base = globalThis.HTMLElement ?? class {};

export class ChangeoverRollout extends Base {
  static observedAttributes = ['manifest', 'changes', 'options', 'deployment', 'label'];

  #given = {};
  #isDue = false;
  #draws = 0;

  get manifest() {
    return this.#given.manifest ?? this.getAttribute('manifest') ?? undefined;
  }

  set manifest(manifest) {
    this.#set({ manifest });
  }

  get changes() {
    return this.#given.changes ?? parsed(this.getAttribute('changes'));
  }

  set changes(changes) {
    this.#set({ changes });
  }

  get options() {
    return this.#given.options ?? parsed(this.getAttribute('options'));
  }

  set options(options) {
    this.#set({ options });
  }

  get timeline() {
    return this.#given.timeline;
  }

  set timeline(timeline) {
    this.#set({ timeline });
  }

  get deployment() {
    return this.getAttribute('deployment') ?? undefined;
  }

  set deployment(name) {
    this.#reflect('deployment', name);
  }

  get label() {
    return this.getAttribute('label') ?? undefined;
  }

  set label(label) {
    this.#reflect('label', label);
  }

  connectedCallback() {
    // Properties that were set before the element was defined stand in front of its accessors.
    for (const name of ['manifest', 'changes', 'options', 'timeline', 'deployment', 'label']) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    this.#update();
  }

  attributeChangedCallback() {
    this.#update();
  }

  #set(given) {
    this.#given = { ...this.#given, ...given };
    this.#update();
  }

  #reflect(name, value) {
    if (value === undefined || value === null) this.removeAttribute(name);
    else this.setAttribute(name, value);
  }

  /** Draws once, after everything that is set at the same time. */
  #update() {
    if (this.#isDue || !this.isConnected) return;
    this.#isDue = true;
    queueMicrotask(() => this.#draw());
  }

  async #draw() {
    this.#isDue = false;
    this.#draws += 1;
    const draw = this.#draws;
    try {
      const timeline = await this.#play();
      // Something else was set while the module was loaded, and is drawn already or will be.
      if (this.#isDue || draw !== this.#draws) return;
      this.#show(timeline ? view(timeline, this.deployment, this.label) : []);
      this.dispatchEvent(new CustomEvent('changeover-shown'));
    } catch (error) {
      if (this.#isDue || draw !== this.#draws) return;
      this.#show([create('p', { class: 'problem', role: 'alert' }, error.message)]);
      this.dispatchEvent(new CustomEvent('changeover-failed', { detail: error }));
    }
  }

  async #play() {
    if (this.timeline) return this.timeline;
    if (this.manifest === undefined) return undefined;
    const { manifest, changes, options } = this;
    // A page that sets `timeline` never loads the module here.
    const { scenario, simulate } = await import('./index.js');
    return simulate(scenario(manifest, changes ?? { image: 'example.com/next' }, options));
  }

  #show(content) {
    if (!this.shadowRoot) {
      const sheet = new CSSStyleSheet();
      // jsdom has no sheets that scripts fill, and looks at no styles.
      sheet.replaceSync?.(STYLE);
      this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [sheet];
    }
    this.shadowRoot.replaceChildren(...content);
  }
}

if (globalThis.customElements && !customElements.get('changeover-rollout')) {
  customElements.define('changeover-rollout', ChangeoverRollout);
}

/** Text that is not JSON stays text: `scenario` says what is wrong with it. */
function parsed(json) {
  if (json === null) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function view(timeline, deployment, label) {
  const points = instants(timeline.series(deployment));
  const totals = timeline.totals(deployment);
  const answers = answersOf(points, totals);
  const title = label ?? `Rollout${deployment ? ` of ${deployment}` : ''}`;
  const figure = create('figure');
  figure.append(create('figcaption', {}, title), list(answers), picture(points, `${title}: ${sentence(answers)}`), legend(), numbers(points, title));
  return [figure];
}

/** Of several points of one instant, the last one. */
function instants(series) {
  return series.filter(({ milliseconds }, index) => series[index + 1]?.milliseconds !== milliseconds);
}

function answersOf(points, { peak, mostOver, lowestAvailable, complete, lastOldPodGone }) {
  const start = startOf(points);
  const time = (milliseconds) => (milliseconds === undefined ? 'never' : clock(milliseconds - start));
  return [
    ['pods at most', mostOver > 0 ? `${peak} (${mostOver} over the limit)` : `${peak}`],
    ['available at least', `${lowestAvailable}`],
    ['complete after', time(complete)],
    ['last old pod gone', time(lastOldPodGone)],
  ];
}

/** When the rollout begins: at the scenario's start, unless nothing happens for a while. The clock counts from there. */
function startOf(points) {
  const isStill = points[0]?.holding === points[0]?.counts.available && points[0]?.old === 0;
  return (isStill ? points[1] : points[0])?.milliseconds ?? 0;
}

function clock(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (number) => `${number}`.padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

function sentence(answers) {
  return answers.map(([name, value]) => `${name} ${value}`).join(', ');
}

function list(answers) {
  const all = create('dl');
  for (const [name, value] of answers) {
    const pair = create('div');
    pair.append(create('dt', {}, name), create('dd', {}, value));
    all.append(pair);
  }
  return all;
}

/** Time from left to right, pods from the bottom up, as bands. */
function picture(points, name) {
  const [axis, left] = [20, 36];
  const start = startOf(points);
  const end = Math.max(points.at(-1)?.milliseconds ?? 0, start + 1000);
  const lead = (end - start) * 0.04;
  const most = Math.max(1, ...points.map(({ holding, marks }) => Math.max(holding, marks.limit)));
  const x = (time) => left + ((Math.max(time, start - lead) - start + lead) / (end - start + lead)) * (WIDTH - left - 8);
  const y = (pods) => (HEIGHT - axis) * (1 - pods / (most * 1.08));
  const svg = create('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': name }, undefined, SVG);
  const steps = points.map((point, index) => [x(point.milliseconds), x(points[index + 1]?.milliseconds ?? end), point]);
  const below = steps.map(() => 0);
  for (const [band, , count] of BANDS) {
    let d = '';
    steps.forEach(([from, to, point], index) => {
      const pods = count(point);
      if (pods > 0 && to > from) d += `M${round(from)} ${round(y(below[index] + pods))}H${round(to)}V${round(y(below[index]))}H${round(from)}Z`;
      below[index] += pods;
    });
    svg.append(create('path', { class: band, d }, undefined, SVG));
  }
  const limit = steps.map(([from, to, { marks }]) => `M${round(from)} ${round(y(marks.limit))}H${round(to)}`).join('');
  svg.append(create('path', { class: 'limit', d: limit }, undefined, SVG));
  const last = points.at(-1)?.marks.limit ?? 0;
  svg.append(create('text', { x: left - 6, y: round(y(last)), dy: '0.35em', 'text-anchor': 'end', class: 'over' }, `${last}`, SVG));
  for (const share of [0, 0.5, 1]) {
    const time = start + share * (end - start);
    const anchor = share === 1 ? 'end' : share === 0 ? 'start' : 'middle';
    svg.append(create('text', { x: round(x(time)), y: HEIGHT - 4, 'text-anchor': anchor }, clock(time - start), SVG));
  }
  return svg;
}

function round(number) {
  return Math.round(number * 10) / 10;
}

function legend() {
  const all = create('ul', { 'aria-label': 'Colors' });
  for (const [band, name] of [...BANDS, ['limit', 'limit']]) {
    const item = create('li');
    const sample = create('svg', { viewBox: '0 0 12 12', 'aria-hidden': 'true' }, undefined, SVG);
    const shape = band === 'limit' ? ['path', { d: 'M0 6H12' }] : ['rect', { width: 12, height: 12 }];
    sample.append(create(shape[0], { ...shape[1], class: band }, undefined, SVG));
    item.append(sample, name);
    all.append(item);
  }
  return all;
}

function numbers(points, title) {
  const start = startOf(points);
  const details = create('details');
  const box = create('div', { class: 'table', role: 'region', 'aria-label': title, tabindex: '0' });
  const table = create('table');
  const row = (cells, name) => {
    const line = create('tr');
    line.append(...cells.map((cell, index) => create(name ?? (index === 0 ? 'th' : 'td'), { scope: name ? 'col' : index === 0 ? 'row' : undefined }, `${cell}`)));
    return line;
  };
  const [head, body] = [create('thead'), create('tbody')];
  head.append(row(['time', ...BANDS.map(([, name]) => name), 'all pods', 'old pods', 'limit', 'over'], 'th'));
  for (const point of points.slice(0, MOST_ROWS)) {
    const when = point.milliseconds < start ? 'before' : clock(point.milliseconds - start);
    body.append(row([when, ...BANDS.map(([, , count]) => count(point)), point.holding, point.old, point.marks.limit, point.over]));
  }
  table.append(head, body);
  box.append(table);
  details.append(create('summary', {}, 'Numbers'), box);
  const leftOut = points.length - MOST_ROWS;
  if (leftOut > 0) details.append(create('p', {}, `${leftOut} later changes are left out.`));
  return details;
}

function create(name, attributes = {}, text = undefined, namespace = 'http://www.w3.org/1999/xhtml') {
  const element = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
