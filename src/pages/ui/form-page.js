/** Comfort for the page of a form: focus on errors, a count of characters, drafts after a reload. */

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

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// Not over plain http. A site around this page may not allow it.
for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", () =>
    navigator.clipboard.writeText(button.dataset.copy).then(
      () => (button.textContent = button.dataset.copied),
      () => (button.hidden = true),
    ),
  );
}

const form = document.querySelector("form[data-key]");
const draftKey = (id) => `formd:${id}`;
const storageKey = form?.dataset.draft && draftKey(form.dataset.draft);
const sensitiveNames = new Set(JSON.parse(form?.dataset.sensitive ?? "[]"));
const spelledNames = new Set(JSON.parse(form?.dataset.spelled ?? "[]"));
/** Language and zone in which the page writes and reads them. */
const spelling = ["formd.language", "formd.zone"].map((name) => form?.elements[name]?.value).join();
/** Names of values that the address fills in. */
const givenNames = new Set(new URLSearchParams(location.search).keys());
/** The key by which the server knows this page when it is sent again. */
const pageKey = form?.elements["formd.key"];
const isStep = form?.dataset.step !== undefined;
const keptPrefix = "formd.kept.";
const draftDays = 7;

// The submission is stored: its draft is not needed.
const sent = document.querySelector("[data-sent]")?.dataset.sent;
try {
  if (sent) localStorage.removeItem(draftKey(sent));
  for (const key of Object.keys(localStorage).filter((each) => each.startsWith(draftKey(""))))
    if (!(JSON.parse(localStorage.getItem(key)).at > Date.now() - draftDays * 86_400_000))
      localStorage.removeItem(key);
} catch {
  // Storage may be forbidden.
}

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

/** True if the value is a respondent's, and may stay in the browser. */
const mayKeep = (name) => !name.startsWith("formd.") && !sensitiveNames.has(name);
const isOfCaptcha = (control) => control.closest(".captcha") !== null;

/** Returns the entered values, of other steps too. */
function valuesOf() {
  const foreign = new Set([...form.elements].filter(isOfCaptcha).map(({ name }) => name));
  return [...new FormData(form)]
    .map(([name, value]) => [name.startsWith(keptPrefix) ? name.slice(keptPrefix.length) : name, value])
    .filter(([name]) => mayKeep(name) && !foreign.has(name));
}

/** The draft. Each value has the spelling of its page. */
const draft = () => JSON.parse(localStorage.getItem(storageKey) ?? '{"values":[]}');

/** True for a whole number, a day or a time as every page writes them. */
const isPlain = (value) => /^(\d+|\d{4}-\d\d-\d\d|\d\d:\d\d)?$/.test(value);

/** False: on this page a value of another language or zone would be another one. */
const isReadable = ([name, value, own]) => own === spelling || !spelledNames.has(name) || isPlain(value);

/** Returns which values of a draft stand for a control that is empty. The offset of a time goes with it. */
function isOpenIn(values) {
  const entered = new Set(values.filter(([, value]) => value !== "").map(([name]) => name));
  return ([name]) => !entered.has(name.replace(/\.zone$/, ".local"));
}

/** Fills in what the page before, in another language, could not show. */
function fillInUnshown() {
  const values = valuesOf();
  const isOpen = isOpenIn(values);
  const unshown = draft().values.filter(
    (each) => spelledNames.has(each[0]) && isReadable(each) && isOpen(each),
  );
  if (unshown.length > 0) fillIn([...unshown, ...values]);
}

/** Stores the draft. Values of later steps stay; so do unreadable ones until something is entered instead. */
function keep() {
  if (!storageKey) return;
  try {
    const values = valuesOf();
    const here = new Set([...form.elements].map(({ name }) => name).concat(values.map(([name]) => name)));
    const isOpen = isOpenIn(values);
    const others = draft().values.filter((each) => !here.has(each[0]) || (!isReadable(each) && isOpen(each)));
    const left = new Set(others.map(([name]) => name));
    const own = values.filter(([name]) => !left.has(name)).map((each) => [...each, spelling]);
    const entry = { at: Date.now(), key: pageKey.value, values: [...others, ...own] };
    localStorage.setItem(storageKey, JSON.stringify(entry));
    show("kept");
  } catch {
    // Storage may be full or forbidden.
  }
}

/** Shows the note about the draft, with a button that clears it. */
function show(note) {
  const line = document.querySelector(`[data-draft-note="${note}"]`);
  if (line) line.hidden = false;
}

function clear() {
  try {
    localStorage.removeItem(storageKey);
  } catch {}
  form.reset();
  location.assign(form.dataset.home);
}

/** @returns true if the page shows other values than before */
function restore() {
  if (!storageKey) return false;
  const before = JSON.stringify(valuesOf());
  const { values, key } = draft();
  const readable = values.filter(isReadable);
  if (readable.length > 0) fillIn(readable);
  // The same draft in two tabs, or sent again after its response was lost, is one submission.
  if (key) pageKey.value = key;
  return JSON.stringify(valuesOf()) !== before;
}

function fillIn(kept) {
  const values = new Map();
  for (const [name, value] of kept) values.set(name, [...(values.get(name) ?? []), value]);
  const used = new Map();
  for (const control of form.elements) {
    if (!control.name || control.type === "hidden" || control.type === "file" || !mayKeep(control.name))
      continue;
    if (givenNames.has(control.name) || isOfCaptcha(control)) continue;
    // The draft has no value: the question did not apply, and shows its default once it does; or its step was
    // not reached.
    if ((control.matches(":disabled") || isStep) && !values.has(control.name)) continue;
    const given = values.get(control.name) ?? [];
    if (control.type === "checkbox" || control.type === "radio")
      control.checked = !control.disabled && given.includes(control.value);
    else {
      // Controls of one name, such as the places of a ranking, have the values in their order.
      const index = used.get(control.name) ?? 0;
      used.set(control.name, index + 1);
      control.value = given[index] ?? "";
      // An option that is full by now.
      if (control.selectedOptions?.[0]?.disabled) control.value = "";
    }
  }
}

/** Returns the offset from UTC of a moment on the respondent's clock. */
function zoneOf(moment) {
  const minutes = -new Date(moment || Date.now()).getTimezoneOffset();
  if (Number.isNaN(minutes)) return undefined;
  if (minutes === 0) return "Z";
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

if (form) {
  // A page with errors, or in another language, has the sent values.
  const isFirst = document.getElementById("summary") === null && form.dataset.switched === undefined;
  // A page that is loaded anew in its place, with the values that the browser restores, is the same page.
  if (isFirst && history.state?.key) pageKey.value = history.state.key;
  try {
    if (isFirst && restore()) show("restored");
  } catch {}
  // In the place of the response to a post the browser would then load another page after Back.
  if (isFirst && !location.pathname.endsWith("/steps")) history.replaceState({ key: pageKey.value }, "");
  // After the Back key the page may have values that were sent since.
  if (!isFirst && performance.getEntriesByType("navigation")[0]?.type !== "back_forward") {
    try {
      if (storageKey && form.dataset.switched !== undefined) fillInUnshown();
    } catch {}
    keep();
  }
  for (const button of form.querySelectorAll("[data-draft-note] button"))
    button.addEventListener("click", clear);
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
  // The next page, if it is this server's, removes the draft once the submission is stored.
  form.addEventListener("submit", ({ submitter }) => {
    const isLast = !new URL(submitter?.formAction || form.action).pathname.endsWith("/steps");
    if (storageKey && isLast && form.dataset.leaves !== undefined) localStorage.removeItem(storageKey);
  });
}
