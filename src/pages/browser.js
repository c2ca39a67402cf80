/** Comfort for pages: times in the browser's time zone, copying, keys, exports with their progress. Every page works without it. */

const { lang } = document.documentElement;
/** The reader's kind of the page's language: a month comes before its day in some. */
const locale = navigator.languages.find((each) => each.split("-")[0] === lang) ?? lang;

for (const time of document.querySelectorAll("time")) {
  time.title = time.textContent ?? "";
  time.textContent = new Date(time.dateTime).toLocaleString(locale, {
    dateStyle: "medium",
    timeStyle: "short",
  });
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.copied;
  });
}

/** A link or button with `data-key` is activated by that key, outside of controls. */
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select"))
    return;
  for (const target of document.querySelectorAll("[data-key]"))
    if (target.dataset.key === event.key) return target.click();
});

/** The rows of a file in parts. A line break within quotation marks is text of a CSV cell; in JSON lines there is none. */
function rowCounter(isCsv) {
  let rows = isCsv ? -1 : 0;
  let isQuoted = false;
  return (bytes) => {
    for (const byte of bytes)
      if (byte === 34 && isCsv) isQuoted = !isQuoted;
      else if (byte === 10 && !isQuoted) rows++;
    return rows;
  };
}

/** Downloads the file of a link, and shows how many rows have arrived. The browser holds the file, on disk when it is large. */
async function download(link, show) {
  let rows = 0;
  try {
    const response = await fetch(link.href);
    // The page of the problem, or the sign-in.
    if (!response.ok) return location.assign(link.href);
    const type = response.headers.get("content-type");
    const count = rowCounter(type.startsWith("text/csv"));
    let shownAt = 0;
    const counted = new TransformStream({
      transform(bytes, controller) {
        rows = count(bytes);
        controller.enqueue(bytes);
        // Once a second: it is read out.
        if (performance.now() - shownAt < 1000) return;
        shownAt = performance.now();
        show("progress", rows);
      },
    });
    const file = await new Response(response.body.pipeThrough(counted), {
      headers: { "content-type": type },
    }).blob();
    const [, name] = /filename="(.+)"/.exec(response.headers.get("content-disposition"));
    const href = URL.createObjectURL(file);
    Object.assign(document.createElement("a"), { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
    show("done", rows);
  } catch {
    show("failed", rows);
  }
}

for (const status of document.querySelectorAll("[data-progress]"))
  for (const link of status.parentElement.querySelectorAll("a"))
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      return download(link, (state, rows) => {
        status.textContent = status.dataset[state].replace("{rows}", rows.toLocaleString(locale));
      });
    });
