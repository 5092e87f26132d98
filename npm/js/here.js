// Long calls where there are no workers. They pause often, so that the program goes on. Where calls can't pause, each runs in one piece.
import { answerTo, canPause } from './own_instance.js';

/** How many milliseconds a slice takes. */
const SLICE = 16;

/** After how many questions a slice ends at the latest: clocks may stand still while a program computes. */
const MOST_QUESTIONS = 200;

/** Starts a call in this thread. `pause` returns a promise, before which all that waits has its turn. */
export const startHere = (pause) => (hear) => {
  const started = performance.now();
  let call;
  let isOver = false;
  const answer = async (module) => {
    await pause();
    let [begin, questions] = [performance.now(), 0];
    const ask = () => {
      const now = performance.now();
      if (now - started > (call.deadline ?? Infinity)) hear.late();
      if (isOver) throw new Error('the call was stopped');
      questions += 1;
      if (!canPause || (now - begin < SLICE && questions < MOST_QUESTIONS)) return undefined;
      return pause().then(() => {
        [begin, questions] = [performance.now(), 0];
        return ask();
      });
    };
    if (!isOver) hear.answered(await answerTo(call, module, ask));
  };
  return {
    post: (message) => {
      if (message.module) answer(message.module);
      else call = message;
    },
    end: () => {
      isOver = true;
    },
  };
};
