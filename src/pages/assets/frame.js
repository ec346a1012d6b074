// In a frame on a page of another site: reports the height of the calendar, so that the page can fit the frame to it.

function report() {
  const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
  parent.postMessage({ type: "almanac-height", height }, "*");
}

if (parent !== window) new ResizeObserver(report).observe(document.documentElement);
