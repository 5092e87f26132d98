// A worker that packs one large text. The message has the text and the maximum number of characters, as for `pack`.
import { pack } from "./share.js";

onmessage = async ({ data }) => {
  try {
    postMessage(await pack(...data));
  } catch (error) {
    // The page gets only errors that are thrown outside of a promise.
    setTimeout(() => { throw error; });
  }
};
