/** Comfort for pages: times in the browser's time zone, copying, keys. Every page works without it. */

for (const time of document.querySelectorAll("time")) {
  time.title = time.textContent ?? "";
  time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang, {
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
