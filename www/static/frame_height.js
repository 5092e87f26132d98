// Tells the page around an embedded one how high it is: from the first paint on, and whenever that changes.
const { body } = document;

const observer = new ResizeObserver(() => {
  const height = Math.ceil(body.getBoundingClientRect().height);
  // It is no secret: anyone may embed the page.
  parent.postMessage({ source: "changeover", height }, "*");
});
observer.observe(body);
