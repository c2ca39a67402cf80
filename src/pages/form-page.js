/**
 * Comfort for the page of a form, which works without it: the summary of errors has the focus, characters are counted, and what was typed is
 * there again after a reload.
 */

// Browsers that know `autofocus` on any element have done it.
addEventListener("load", () => {
  const summary = document.getElementById("summary");
  if (document.activeElement !== summary) summary?.focus();
});

// In a frame: /f/embed.js of the site around it sets the height.
if (parent !== window)
  new ResizeObserver(() =>
    parent.postMessage({ formdHeight: document.documentElement.offsetHeight }, "*"),
  ).observe(document.documentElement);

const form = document.querySelector("form[data-key]");
// With the query, which may give other values.
const storageKey = `formd:${location.pathname}${location.search}#${form?.dataset.step ?? ""}`;
const sensitiveNames = new Set(JSON.parse(form?.dataset.sensitive ?? "[]"));

/** Characters as the rules count them: Unicode code points, with line ends as one. */
const lengthOf = (text) => [...text].length;

function count(control) {
  const max = Number(control.dataset.maxLength);
  const line = document.createElement("p");
  line.className = "count";
  line.setAttribute("aria-live", "polite");
  control.after(line);
  const update = () => {
    const left = max - lengthOf(control.value);
    // Silent until the end is near, so that a screen reader does not read every letter.
    const isNear = left <= Math.max(10, max / 5);
    const words = left < 0 ? form.dataset.over : form.dataset.left;
    line.textContent = isNear ? words.replace("{n}", String(Math.abs(left))) : "";
    line.classList.toggle("over", left < 0);
  };
  control.addEventListener("input", update);
  update();
}

/** Whether the value is a respondent's, and may stay in the browser. */
const mayKeep = (name) => !name.startsWith("formd.") && !sensitiveNames.has(name);

const valuesOf = () => [...new FormData(form)].filter(([name]) => mayKeep(name));

function keep() {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(valuesOf()));
  } catch {
    // Storage may be full or forbidden.
  }
}

function restore() {
  const text = sessionStorage.getItem(storageKey);
  if (text === null) return;
  const values = new Map();
  for (const [name, value] of JSON.parse(text)) values.set(name, [...(values.get(name) ?? []), value]);
  const used = new Map();
  for (const control of form.elements) {
    if (!control.name || control.type === "hidden" || !mayKeep(control.name)) continue;
    if (control.closest(".captcha")) continue;
    const given = values.get(control.name) ?? [];
    if (control.type === "checkbox" || control.type === "radio")
      control.checked = given.includes(control.value);
    else {
      // Controls of one name, such as the places of a ranking, have the values in their order.
      const index = used.get(control.name) ?? 0;
      used.set(control.name, index + 1);
      control.value = given[index] ?? "";
    }
  }
}

/** The offset from UTC that a moment of the respondent's clock has. */
function zoneOf(moment) {
  const minutes = -new Date(moment || Date.now()).getTimezoneOffset();
  if (Number.isNaN(minutes)) return undefined;
  if (minutes === 0) return "Z";
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

if (form) {
  // A page with errors has what was sent.
  const isFirst = document.getElementById("summary") === null;
  try {
    if (isFirst) restore();
  } catch {}
  for (const select of form.querySelectorAll("select.zone")) {
    const local = form.elements[select.name.replace(/zone$/, "local")];
    const adopt = () => {
      const zone = zoneOf(local.value);
      if ([...select.options].some(({ value }) => value === zone)) select.value = zone;
    };
    if (isFirst && !local.value) adopt();
    let isChosen = !isFirst;
    select.addEventListener("change", () => {
      isChosen = true;
    });
    local.addEventListener("input", () => isChosen || adopt());
  }
  for (const control of form.querySelectorAll("[data-max-length]")) count(control);
  form.addEventListener("input", keep);
  // From here on the server has the values: the page that it responds with shows them, or they are stored.
  form.addEventListener("submit", () => sessionStorage.removeItem(storageKey));
}
