/** Says on the pressed button that its form is being sent. It stays enabled: its name and value are sent. */

const pressed = new Map();

// After the listeners of the page, which may send a form in another way.
addEventListener("submit", ({ defaultPrevented, target: form, submitter: button }) => {
  const words = button?.closest("[data-busy]")?.dataset.busy;
  if (defaultPrevented || !words || !button || form.getAttribute("method") !== "post") return;
  // A download leaves the page as it is.
  if (form.getAttribute("action")?.split("?")[0].endsWith("/export")) return;
  if (pressed.has(button)) return;
  pressed.set(button, [...button.childNodes]);
  button.ariaBusy = "true";
  // A sign, such as an arrow, is shorter than any word.
  if (button.textContent.trim().length < 3) return;
  button.style.minWidth = `${button.offsetWidth}px`;
  button.replaceChildren(words);
});

const restoreWords = () => {
  for (const [button, nodes] of pressed) {
    button.ariaBusy = null;
    button.replaceChildren(...nodes);
  }
  pressed.clear();
};
// The page as it was, after the Back key, and where a person who was asked stays.
addEventListener("pageshow", restoreWords);
addEventListener("beforeunload", (event) => setTimeout(() => event.defaultPrevented && restoreWords()));
