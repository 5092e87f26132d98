// Trusted Types protect the address of a worker, so the page declares which one it trusts.
const policy = trustedTypes.createPolicy('page', { createScriptURL: (address) => address });
const worker = new Worker(policy.createScriptURL('web_worker.mjs'), { type: 'module' });
worker.onmessage = ({ data }) => {
  window.result = data;
};
worker.onerror = ({ message }) => console.error(message);
