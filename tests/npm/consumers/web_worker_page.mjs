// The address of a worker is what Trusted Types guard, so the page says which one it trusts.
const policy = trustedTypes.createPolicy('page', { createScriptURL: (address) => address });
const worker = new Worker(policy.createScriptURL('web_worker.mjs'), { type: 'module' });
worker.onmessage = ({ data }) => {
  window.result = data;
};
worker.onerror = ({ message }) => console.error(message);
