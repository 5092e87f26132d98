// The long calls, each in a worker of its own: they never block, and can be stopped.
import { describe, reasonOf } from './arguments.js';
import { ChangeoverError } from './error.js';

/** For each function, the code of its first argument and how many arguments it has. */
const FUNCTIONS = {
  predict: ['InvalidObjects', 3],
  advise: ['InvalidManifest', 3],
  explain: ['InvalidObjects', 2],
  totals: ['InvalidScenario', 3],
};

/** The properties of the last argument. */
const LIMITS = ['signal', 'deadline', 'memory'];

/** The module starts with a few megabytes, and has 4 GB at most. */
const [LEAST_MEMORY, MOST_MEMORY] = [2 ** 24, 2 ** 32];

/**
 * The functions. `start` starts a worker: `post` sends it a message, `listen` takes what to do with its answer and with an
 * error, and `end` ends it. `compile` gives the compiled module, which all workers share.
 */
export function callsIn(start, compile) {
  let compiled;
  const compiledOnce = () => {
    compiled ??= compile().catch((error) => {
      compiled = undefined;
      throw error;
    });
    return compiled;
  };
  const functions = {};
  for (const [name, [code, count]] of Object.entries(FUNCTIONS)) {
    functions[name] = async (...args) => call({ start, compiledOnce }, { name, code, args: args.slice(0, count) }, args[count] ?? {});
  }
  return functions;
}

function call({ start, compiledOnce }, { name, code, args }, limits) {
  const { signal, deadline, memory } = checkLimits(limits);
  checkNumber('deadline', deadline, 1, 2 ** 31 - 1, 'milliseconds');
  checkNumber('memory', memory, LEAST_MEMORY, MOST_MEMORY, 'bytes');
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    let worker;
    try {
      worker = start();
    } catch (error) {
      throw loadError(error);
    }
    const end = (settle, value) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      worker.end();
      settle(value);
    };
    const abort = () => end(reject, signal.reason);
    const late = () => end(reject, new ChangeoverError('DeadlineExceeded', '', `${name} takes longer than the deadline of ${deadline} ms`));
    const timer = deadline === undefined ? undefined : setTimeout(late, deadline);
    signal?.addEventListener('abort', abort);
    worker.listen(
      ({ result, error }) => (error ? end(reject, new ChangeoverError(error.code, error.path, error.message, error)) : end(resolve, result)),
      (error) => end(reject, loadError(error)),
    );
    try {
      worker.post({ name, args, memory });
    } catch (error) {
      end(reject, new ChangeoverError(code, '', `Invalid value: a worker gets copies of the arguments: ${reasonOf(error)}`, { cause: error }));
      return;
    }
    compiledOnce().then((module) => worker.post({ module })).catch((error) => end(reject, loadError(error)));
  });
}

/** The limits, if there are no others. */
function checkLimits(limits) {
  const other = Object.keys(limits).find((key) => !LIMITS.includes(key));
  if (other !== undefined) throw invalid(other, `Unsupported value: ${describe(other)}: supported values: ${LIMITS.map(describe).join(', ')}`);
  const { signal } = limits;
  if (signal !== undefined && signal !== null && typeof signal.addEventListener !== 'function') {
    throw invalid('signal', `Invalid value: ${describe(signal)}: must be an AbortSignal`);
  }
  return limits;
}

function checkNumber(path, value, least, most, unit) {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return;
  throw invalid(path, `Invalid value: ${describe(value)}: must be a whole number of ${unit} from ${least} to ${most}`);
}

function invalid(path, problem) {
  return new ChangeoverError('InvalidOptions', path, `${path}: ${problem}`);
}

function loadError(error) {
  return new ChangeoverError('LoadFailed', '', `A worker can't be started: ${reasonOf(error)}`, { cause: error });
}
