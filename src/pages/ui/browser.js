/** Comfort for pages: times in the browser's zone, copying, keys, exports with progress. */

const { lang } = document.documentElement;
/** The reader's variant of the page's language: in some a month comes before its day. */
const locale = navigator.languages.find((each) => each.split("-")[0] === lang) ?? lang;

// Browsers that know `autofocus` on any element have done it.
document.getElementById("summary")?.focus();

// The browser's own zone, where none has been chosen. For a form that has settings it is only offered.
const { timeZone: ownZone } = Intl.DateTimeFormat().resolvedOptions();
for (const zone of document.querySelectorAll('[data-own-zone]:is([value="UTC"], [value=""])'))
  if ([...zone.form.querySelectorAll('[type^="date"]')].every((day) => !day.value))
    zone.value = zone.defaultValue = ownZone;
for (const zone of document.querySelectorAll("[data-offers-zone]")) {
  const list = Object.assign(document.createElement("datalist"), { id: "own-zone" });
  list.append(new Option(ownZone));
  zone.after(list);
  zone.setAttribute("list", list.id);
}

// The flash message is shown once: neither a reload nor a copied address has it.
const own = new URL(location.href);
if (own.searchParams.has("report")) {
  own.searchParams.delete("report");
  history.replaceState(null, "", own);
}

for (const time of document.querySelectorAll("time:not([data-zone])")) {
  const exact = new Date(time.dateTime).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
  if (time.title) time.title = exact;
  else {
    time.title = time.textContent ?? "";
    time.textContent = exact;
  }
}

// A change of the control draws the form anew, as the button without a script does.
document.addEventListener("change", ({ target: { dataset, form } }) => {
  if (!dataset.redraw) return;
  const button = document.createElement("button");
  Object.assign(button, { name: "formd.resume", value: dataset.redraw, hidden: true, formNoValidate: true });
  form.append(button);
  form.requestSubmit(button);
});

/** True if a control has another value than its page gave it. */
const isAltered = (control) => {
  if (control.type === "checkbox" || control.type === "radio")
    return control.checked !== control.defaultChecked;
  if (control.type === "file") return control.files.length > 0;
  if (control.type === "select-one") {
    const given = [...control.options].findIndex((option) => option.defaultSelected);
    return control.selectedIndex !== Math.max(given, 0);
  }
  return control.matches("input:not([type='hidden']), textarea") && control.value !== control.defaultValue;
};

const isUnsaved = (form) =>
  form.method === "post" &&
  !form.querySelector("[type='password']") &&
  (form.matches("[data-unsaved]:has(input:not([type='hidden']), select, textarea)") ||
    [...form.elements].some((control) => control.name && isAltered(control)));

// Leaving a page with unsaved changes asks first, unless they are sent or discarded.
let sentForm;
document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented) sentForm = event.target;
});
document.addEventListener("click", ({ target }) => {
  const link = target.closest("[data-discard]");
  if (link) sentForm = link.closest("form");
});
addEventListener("pageshow", () => {
  sentForm = undefined;
});
addEventListener("beforeunload", (event) => {
  if (![...document.forms].some((form) => form !== sentForm && isUnsaved(form))) return;
  event.preventDefault();
  // A person who stays has sent nothing.
  setTimeout(() => {
    sentForm = undefined;
  });
});

// A menu closes by Escape, which leads back to its button, and by a press or a focus elsewhere.
const closeMenus = (besides) => {
  for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(besides)) menu.open = false;
};
document.addEventListener("pointerdown", ({ target }) => closeMenus(target));
document.addEventListener("focusin", ({ target }) => closeMenus(target));
document.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  document.activeElement?.closest(".menu[open]")?.querySelector("summary").focus();
  closeMenus();
});

// The tabs scroll in one line on a phone.
for (const tab of document.querySelectorAll(":is(.tabs, .subtabs) [aria-current]"))
  tab.parentElement.parentElement.scrollLeft =
    tab.offsetLeft - tab.parentElement.parentElement.clientWidth / 2;

// Not over plain http.
for (const button of navigator.clipboard ? document.querySelectorAll("button[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = button.dataset.copied;
    } catch {
      button.hidden = true;
    }
  });
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

for (const button of document.querySelectorAll("button[data-show]")) {
  const input = button.previousElementSibling?.querySelector("input");
  if (!input) continue;
  button.hidden = false;
  button.addEventListener("click", () => {
    const isShown = input.type === "text";
    input.type = isShown ? "password" : "text";
    button.textContent = isShown ? button.dataset.show : button.dataset.hide;
  });
}

/** State of shortcut keys. They are off until a person switches them on, in this browser (WCAG 2.1.4). */
const keys = {
  get areOn() {
    try {
      return localStorage.getItem("formd.keys") === "on";
    } catch {
      return false;
    }
  },
  set areOn(value) {
    try {
      localStorage.setItem("formd.keys", value ? "on" : "off");
    } catch {
      // Storage may be forbidden: they stay off.
    }
  },
};

for (const button of document.querySelectorAll("button[data-keys]")) {
  const on = button.textContent;
  const show = () => {
    button.textContent = keys.areOn ? button.dataset.keys : on;
  };
  button.hidden = false;
  show();
  button.addEventListener("click", () => {
    keys.areOn = !keys.areOn;
    show();
  });
}

/** A shortcut key activates a link or button with `data-key`, or selects an input; outside of controls. */
document.addEventListener("keydown", (event) => {
  if (!keys.areOn) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select"))
    return;
  for (const target of document.querySelectorAll("[data-key]")) {
    if (target.dataset.key !== event.key) continue;
    // The key itself is not typed into the input.
    event.preventDefault();
    return target.matches("input") ? target.select() : target.click();
  }
});

/** Counts the rows of a file in parts. A line break within quotation marks is part of a CSV cell. */
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

/** Downloads the file of a link, and shows how many rows have arrived. A large one is held on disk. */
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
    const disposition = response.headers.get("content-disposition");
    const [, encoded] = /filename\*=UTF-8''(.+)/.exec(disposition) ?? [];
    const name = encoded ? decodeURIComponent(encoded) : /filename="([^"]+)"/.exec(disposition)[1];
    const href = URL.createObjectURL(file);
    Object.assign(document.createElement("a"), { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
    show("done", rows);
  } catch {
    show("failed", rows);
  }
}

for (const status of document.querySelectorAll("[data-progress]"))
  for (const link of status.parentElement.querySelectorAll("a[data-rows]"))
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      return download(link, (state, rows) => {
        status.textContent = status.dataset[state].replace("{rows}", rows.toLocaleString(locale));
      });
    });
