/** The page on which a form is built: cards open, are saved and moved without a page load. */

const { path, saving, saved, failed, offline, ended } = document.querySelector(".build").dataset;
const resume = "formd.resume";

/** Read out by screen readers. It stays when the page changes. */
const said = document.createElement("p");
said.className = "unseen";
said.setAttribute("role", "status");
document.body.append(said);

/** The text of each open card as it was drawn or sent, and the reason why a save failed. */
const drawn = new WeakMap();
const refused = new WeakMap();
/** A pressed button of a card that was drawn anew since counts as well. */
const valuesOf = (form, submitter) => {
  const values = new URLSearchParams(new FormData(form));
  if (submitter?.name) values.append(submitter.name, submitter.value);
  return values;
};
const textOf = (form) => {
  const values = valuesOf(form);
  values.delete("updatedAt");
  return String(values);
};
const openForms = () => [...document.querySelectorAll(".card-form > form")];
const isDirty = (form) => drawn.has(form) && drawn.get(form) !== textOf(form);
const isUnsaved = (form) => isDirty(form) || refused.has(form);
const discard = (form, text = textOf(form)) => {
  drawn.set(form, text);
  refused.delete(form);
};

/** Notes the forms of new cards, and lets questions be dragged. */
function note() {
  for (const form of openForms()) if (!drawn.has(form)) drawn.set(form, textOf(form));
  for (const { parentElement: card } of document.querySelectorAll(".question > .arrows")) {
    card.draggable = true;
    card.querySelector(".edit").draggable = false;
  }
}

/** Resolves when no button of the pointer is pressed: a change of the page would take the click's target. */
let released = Promise.resolve();

/** Status of a response without a session. */
const signedOut = 401;

/** Actions one after another. */
let last = Promise.resolve();
let pending = 0;
const enqueue = (act) => {
  const main = document.querySelector("main");
  pending++;
  main.ariaBusy = "true";
  last = last.then(act, act).finally(() => {
    if (--pending === 0) main.ariaBusy = null;
  });
  return last;
};

/** A request is not a fetch: its response is a document, which needs no HTML of text. */
const ask = (method, address, body) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, address);
    request.setRequestHeader("accept", "text/html");
    request.responseType = "document";
    request.timeout = 30_000;
    request.onload = () => resolve(request);
    request.onerror = request.ontimeout = request.onabort = reject;
    request.send(body);
  });

const containers = "main, .build, .sheet, #fields, .fields, .fields > li, .card[data-part], .other-texts";
const keyOf = (node) =>
  node.nodeType === 1 ? (node.dataset.part ?? (node.id || `${node.localName}.${node.classList[0]}`)) : "";

/**
 * Makes the children of an element those of a fresh one. Equal ones stay.
 * @param kept cards that stay as well, by their places in the fresh one
 */
function merge(old, fresh, kept) {
  const cards = new Set(kept.values());
  const before = Map.groupBy(
    [...old.childNodes].filter((node) => !cards.has(node)),
    keyOf,
  );
  const wanted = [...fresh.childNodes].map((node) => {
    if (kept.has(node)) return kept.get(node);
    const same = before.get(keyOf(node))?.shift();
    if (!same) return node;
    if (same.isEqualNode(node)) return same;
    if (same.nodeType !== 1 || !same.matches(containers)) return node;
    merge(same, node, kept);
    return same;
  });
  const stays = new Set(wanted);
  for (const node of [...old.childNodes]) if (!stays.has(node)) node.remove();
  let at = old.firstChild;
  for (const node of wanted)
    if (node === at) at = at.nextSibling;
    else old.insertBefore(node, at);
}

/** Puts a place for a card with unsaved text into a fresh page, and returns it. */
function keep(card, page) {
  const place = card.cloneNode(false);
  const at = card.dataset.part ? card.parentElement : card.closest("[data-part]");
  // A card whose part is gone is in none.
  const part = at?.dataset.part && page.querySelector(`[data-part="${CSS.escape(at.dataset.part)}"]`);
  const present = part?.querySelector(":scope > .card, :scope > .card-form");
  if (!part) page.querySelector("#fields").append(place);
  else if (card.dataset.part) present.after(place);
  else if (present) present.replaceWith(place);
  else part.replaceChildren(place);
  return place;
}

/**
 * Returns the element in the page that was there before: by its id, address or name, or by its words and
 * form, as the button Publish, which is drawn anew since a save changes what it publishes.
 */
function twinOf(element, within = document) {
  if (!element || element.isConnected) return element;
  const { id, name, value, form, textContent } = element;
  const href = element.getAttribute("href");
  if (typeof id === "string" && id) return document.getElementById(id);
  if (href) return document.querySelector(`main a[href="${CSS.escape(href)}"]`);
  if (name) return [...document.getElementsByName(name)].find((each) => each.value === value);
  const action = form?.getAttribute("action");
  return [...within.querySelectorAll(`main ${element.localName}`)].find(
    (each) => each.textContent === textContent && each.form?.getAttribute("action") === action,
  );
}

/** False once the person has gone elsewhere in the page, where the focus then stays. */
const isStillAt = (active) => document.activeElement === active || document.activeElement === document.body;

/** Times of the draft after an own save, by the time before it. */
const later = new Map();

/** Shows a fresh page. Cards with text that is not saved stay. */
async function show({ response: page, responseURL }, seen) {
  await released;
  const active = document.activeElement;
  const kept = openForms().filter(isUnsaved);
  merge(
    document.querySelector("main"),
    page.querySelector("main"),
    new Map(kept.map(({ parentElement: card }) => [keep(card, page), card])),
  );
  // The draft has no change but the own save.
  const now = page.updatedAt;
  if (now && now === new URL(responseURL).searchParams.get("saved") && seen && seen !== now)
    later.set(seen, now);
  note();
  if (active !== document.activeElement) twinOf(active)?.focus({ preventScroll: true });
}

/** Says beside a card what became of it. */
function tell(card, text, isFailure) {
  said.textContent = text;
  if (!card) return;
  const state = card.querySelector(":scope > .card-state") ?? document.createElement("span");
  state.className = isFailure ? "card-state failed" : "card-state";
  state.textContent = text;
  card.append(state);
}

/** @param sent what was sent: what was typed since then is sent once the card is left */
function fail(form, text, sent) {
  refused.set(form, text);
  drawn.set(form, sent);
  tell(form.parentElement, text, true);
}

/** Draws an open card as the server has drawn it from its values. Actions that wait know its form. */
function redrawn(form, fresh) {
  const active = document.activeElement;
  const isWithin = form.contains(active);
  const label = active.closest?.("details")?.querySelector("summary")?.textContent;
  const [card, next] = [form.parentElement, fresh.querySelector(":scope > form")];
  for (const [old, its] of [
    [card, fresh],
    [form, next],
  ]) {
    for (const { name } of [...old.attributes]) old.removeAttribute(name);
    for (const { name, value } of its.attributes) old.setAttribute(name, value);
  }
  form.replaceChildren(...next.childNodes);
  next.replaceWith(form);
  card.replaceChildren(...fresh.childNodes);
  const twin = isWithin ? twinOf(active, card) : undefined;
  if (twin?.checkVisibility()) twin.focus();
  else if (isWithin)
    [...card.querySelectorAll("summary")].find((each) => each.textContent === label)?.focus();
}

/** Says above the page why nothing was done. The next change of the page takes it away. */
function warn(text) {
  said.textContent = text;
  const notice = Object.assign(document.createElement("div"), {
    className: "notice error",
    textContent: text,
  });
  document.querySelector("main > .notice.error")?.remove();
  document.querySelector("main").prepend(notice);
}

/**
 * The form that is sent by an ordinary post, to which the sign-in responds. It keeps the values.
 * @param more fields besides its own
 */
let leaving;
function leave(form, submitter, more = {}) {
  leaving = form;
  form.noValidate = true;
  form.addEventListener(
    "formdata",
    ({ formData }) => {
      for (const [name, value] of Object.entries(more)) formData.set(name, value);
    },
    { once: true },
  );
  form.requestSubmit(submitter?.isConnected ? submitter : null);
}
addEventListener("pageshow", () => {
  leaving = undefined;
});

/** Returns the reason why a response is no page of this form, and nothing was saved. */
const reasonIn = (page) => `${failed} ${page?.querySelector("main p:not(.brand)")?.textContent.trim() ?? ""}`;

/** Draws a card anew, as its buttons for more of it do. Nothing is saved. */
async function redraw(form, submitter) {
  const values = valuesOf(form, submitter);
  if (!values.has(resume)) values.set(resume, "type");
  const text = textOf(form);
  try {
    const { response, status } = await ask("POST", form.getAttribute("action"), values);
    const fresh = response?.querySelector(".build .card-form");
    if (!fresh && status === signedOut) return leave(form, submitter);
    if (!fresh) return tell(form.parentElement, reasonIn(response), true);
    await released;
    // Text that was typed since then stays.
    if (textOf(form) !== text) return await redraw(form, submitter);
    const isHere = form.contains(document.activeElement) || isStillAt(null);
    redrawn(form, fresh);
    if (refused.has(form)) tell(form.parentElement, refused.get(form), true);
    if (isHere) form.querySelector("[autofocus]:not([name=label])")?.focus();
  } catch {
    tell(form.parentElement, offline, true);
  }
}

const isRedirected = (form, { responseURL }) =>
  URL.parse(responseURL)?.pathname !== new URL(form.getAttribute("action"), location.href).pathname;

/** Saves a form. @param more fields besides its own */
async function send(sent, { submitter, more = {}, isQuiet = false } = {}) {
  // The one that moves questions may have been drawn anew since then.
  const form = document.getElementById(sent.getAttribute("id")) ?? sent;
  const card = form.closest(".card-form");
  const own = card && form.parentElement === card ? form : undefined;
  // The words beside the card move what is below it, such as the link that is being pressed.
  if (isQuiet) await released;
  // A card that is gone was saved by the action before, or given up.
  if (own && !(own.isConnected && (!isQuiet || isDirty(own)))) return;
  // A form that was drawn before an own save, such as Undo that is pressed meanwhile, has seen that save.
  const { updatedAt } = form.elements;
  while (later.has(updatedAt?.value)) updatedAt.value = later.get(updatedAt.value);
  const values = valuesOf(form, submitter);
  for (const [name, value] of Object.entries(more)) values.set(name, value);
  const text = own && textOf(own);
  const { part } = card?.closest("[data-part]")?.dataset ?? {};
  let answer;
  // A line more would move what a pressed pointer is on.
  if (own) void released.then(() => answer || refused.has(own) || tell(card, saving));
  // Text that is typed into a new question meanwhile would be another question.
  const active = document.activeElement;
  if (own && card.dataset.part) card.inert = true;
  try {
    answer = await ask("POST", form.getAttribute("action"), values);
  } catch {
    return own ? fail(own, offline, text) : warn(offline);
  } finally {
    if (card?.inert) {
      card.inert = false;
      if (card.contains(active) && document.activeElement === document.body) active.focus();
    }
  }
  // The redirect says that it is saved, though the page that it leads to cannot be had.
  const isPage = () => answer.response?.querySelector(".build");
  const isDone = isRedirected(form, answer);
  if (isDone && !isPage()) answer = await ask("GET", path).catch(() => answer);
  if (isDone && !isPage()) {
    if (own) discard(own, text);
    return location.assign(path);
  }
  const page = answer.response;
  if (!isPage()) {
    const isSignedOut = answer.status === signedOut;
    if (!isQuiet && isSignedOut) return leave(form, submitter, more);
    const reason = isSignedOut ? ended : reasonIn(page);
    return own ? fail(own, reason, text) : warn(reason);
  }
  page.updatedAt = page.querySelector("[name=updatedAt]")?.value;
  const reason = page.querySelector("main > .notice.error")?.textContent.trim() ?? failed;
  const focused = !isQuiet && isStillAt(active) && page.querySelector("main [autofocus]");
  if (answer.status >= 400 && own && !isDone) {
    const fresh = page.querySelector(".build .card-form");
    await released;
    // Text that was typed since then stays.
    if (!fresh || textOf(own) !== text) return fail(own, reason, text);
    redrawn(own, fresh);
    return fail(own, reason, textOf(own));
  }
  // Text that was typed since the request is not saved yet.
  if (own) discard(own, text);
  // Text that was typed in a question goes with it.
  else if (card && /remove$/.test(form.action)) discard(card.querySelector(":scope > form"));
  await show(answer, values.get("updatedAt"));
  if (answer.status >= 400) said.textContent = reason;
  else {
    const name = part === "new" || part === "several" ? undefined : part;
    tell(name && document.querySelector(`[data-part="${CSS.escape(name)}"]`), saved);
    said.textContent = document.querySelector("main > .report span")?.textContent.trim() ?? saved;
  }
  if (focused) focused.focus();
  else if (document.activeElement === document.body && !isQuiet)
    document.querySelector("main > .report button")?.focus();
}

/** @param left the form of a card that is given up */
async function open(address, left) {
  try {
    const answer = await ask("GET", address);
    if (left) discard(left);
    if (!answer.response?.querySelector(".build")) return location.assign(address);
    const focused = answer.response.querySelector("main [autofocus]");
    await show(answer);
    focused?.focus();
    const notice = answer.status >= 400 && document.querySelector("main .notice.error");
    if (!notice) return;
    said.textContent = notice.textContent;
    notice.tabIndex = -1;
    // The pressed link may be gone.
    if (document.activeElement === document.body) notice.focus();
  } catch {
    warn(offline);
  }
}

/** Saves the cards that the person has left. Rows of several new questions wait for their button. */
function saveOthers({ target }) {
  for (const form of openForms()) {
    const card = form.parentElement;
    if (card.contains(target) || card.dataset.part === "several" || !isDirty(form)) continue;
    if (card.dataset.part === "new" && !form.elements.label.value.trim()) continue;
    enqueue(() => send(form, { isQuiet: true }));
  }
}
document.addEventListener("focusin", saveOthers);
document.addEventListener(
  "pointerdown",
  (event) => {
    released = new Promise((resolve) => {
      for (const type of ["pointerup", "pointercancel"])
        addEventListener(type, () => setTimeout(resolve), { once: true, capture: true });
    });
    saveOthers(event);
  },
  true,
);
addEventListener("online", () => {
  for (const form of openForms()) if (refused.get(form) === offline) enqueue(() => send(form));
});
addEventListener("beforeunload", (event) => {
  if (!openForms().some((form) => form !== leaving && isUnsaved(form))) return;
  event.preventDefault();
  // A person who stays has sent nothing.
  setTimeout(() => {
    leaving = undefined;
  });
});

/** True for an address of this page, whose links and forms the script follows. */
const isHere = ({ pathname }) => pathname === path;
const isOwn = ({ pathname }) =>
  pathname.startsWith(path) && /^\/(?:field|text)\b/.test(pathname.slice(path.length));

document.addEventListener(
  "click",
  (event) => {
    const link = event.target.closest?.("a[href]:not([href^='#'])");
    if (!link || link.target || event.button > 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (isHere(link) && link.closest(".build")) {
      event.preventDefault();
      const card = link.closest(".card-form");
      enqueue(() => open(link.href, card?.querySelector(":scope > form")));
    } else if (pending > 0) {
      event.preventDefault();
      last.then(() => openForms().some(isUnsaved) || location.assign(link.href));
    }
  },
  true,
);

/** Buttons whose press still waits: a second one would be refused, since the first has done it. */
const pressed = new WeakSet();
document.addEventListener(
  "submit",
  (event) => {
    const { target: form, submitter } = event;
    const action = form.getAttribute("action");
    if (form.method !== "post" || form === leaving) return;
    if (isOwn(new URL(action, location.href))) {
      event.preventDefault();
      const button = submitter ?? form;
      if (pressed.has(button)) return;
      pressed.add(button);
      enqueue(() =>
        submitter?.name === resume ? redraw(form, submitter) : send(form, { submitter }),
      ).finally(() => pressed.delete(button));
    } else if (pending > 0) {
      event.preventDefault();
      last.then(() => {
        if (openForms().some(isUnsaved)) return;
        const twin = form.isConnected ? form : document.querySelector(`form[action="${CSS.escape(action)}"]`);
        twin?.requestSubmit(form.isConnected ? submitter : twin.querySelector("button"));
      });
    }
  },
  true,
);

document.addEventListener("change", ({ target }) => {
  // A control whose value is not empty presses a button: see browser.js.
  const form = target.matches?.("[data-redraw='']") && target.closest(".card-form > form");
  if (form) enqueue(() => redraw(form));
});

/** The row after a row of several new questions; a new one after the last. */
function rowAfter(row) {
  if (row.nextElementSibling?.matches(".question-row")) return row.nextElementSibling;
  const rows = row.parentElement.querySelectorAll(".question-row").length;
  const next = row.cloneNode(true);
  for (const element of next.querySelectorAll("*"))
    for (const name of ["id", "for", "name", "aria-describedby"])
      if (element.hasAttribute(name))
        element.setAttribute(name, element.getAttribute(name).replace(/^\d+/, rows));
  for (const element of next.querySelectorAll("legend, label[for$=label]"))
    element.firstChild.data = element.firstChild.data.replace(/\d+/, rows + 1);
  for (const input of next.querySelectorAll("input, select, textarea")) {
    if (input.type === "checkbox") input.checked = false;
    else input.value = "";
  }
  row.after(next);
  return next;
}

document.addEventListener("keydown", (event) => {
  const { key, target, isComposing } = event;
  const form = target.closest?.(".card-form > form");
  if (!form || isComposing) return;
  const cancel = form.querySelector(":scope > .actions > a");
  if (key === "Escape" && !isUnsaved(form)) return cancel?.click();
  if (key !== "Enter" || !target.matches("input:not([type=checkbox], [type=radio])")) return;
  const row = target.closest(".question-row");
  if (row) {
    event.preventDefault();
    rowAfter(row).querySelector("input").focus();
  } else if (target.name === "label") {
    event.preventDefault();
    if (target.value.trim()) form.requestSubmit(form.querySelector("[name=another]"));
    else cancel?.click();
  }
});

// A dragged question is moved by the form of the arrow buttons.
let dragged;
const cards = () => [...document.querySelectorAll(".fields > [data-id]")];
const mark = (row, edge) => {
  for (const each of cards()) delete each.dataset.drop;
  if (row) row.dataset.drop = edge;
};
/** The gap beside a row that is nearer to the pointer. */
const edgeAt = (row, { clientY }) => {
  const { top, height } = row.getBoundingClientRect();
  return clientY < top + height / 2 ? "before" : "after";
};
document.addEventListener("dragstart", ({ target, dataTransfer }) => {
  dragged = target.closest?.(".question[draggable]")?.closest("li");
  if (!dragged) return;
  dataTransfer.effectAllowed = "move";
  dataTransfer.setData("text/plain", dragged.querySelector("strong").textContent);
});
document.addEventListener("dragend", () => {
  dragged = undefined;
  mark();
});
document.addEventListener("dragover", (event) => {
  const row = dragged && event.target.closest?.(".fields > [data-id]");
  if (!row) return;
  event.preventDefault();
  mark(row, edgeAt(row, event));
});
document.addEventListener("drop", (event) => {
  const row = dragged && event.target.closest?.(".fields > [data-id]");
  if (!row) return;
  event.preventDefault();
  const rows = cards();
  const from = rows.indexOf(dragged);
  const gap = rows.indexOf(row) + (edgeAt(row, event) === "after" ? 1 : 0);
  const place = gap > from ? gap - 1 : gap;
  const { id } = dragged.dataset;
  mark();
  if (place !== from)
    enqueue(() => send(document.getElementById("move-question"), { more: { id, toIndex: place } }));
});

note();
