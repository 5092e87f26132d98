import { ChangeoverError, predict } from 'changeover';
import { predict as predictInWorker } from 'changeover/async';
import { ChangeoverError as ErrorAlone } from 'changeover/error';
import { quantity } from 'changeover/quantity';
import { init } from 'changeover/slim';

const half: number = quantity('500m');
const error: ErrorAlone = ChangeoverError.from(new Error('a copy'));
await init(new Uint8Array([0]));
await init('https://example.com/changeover.wasm');
const peaks: Promise<number> = predictInWorker('', '', {}, { deadline: 5 }).then(({ total }) => total.outcome.peak);
const now: Date | undefined = undefined;
predict('', '', { nodes: undefined, assumptions: { now, readyAfter: 5000 } });
export { error, half, peaks };
