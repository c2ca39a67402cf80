/**
 * Sends files of a form once they are chosen or dropped. The response is the whole page, of which it takes
 * the field's control. Without this script the form sends them.
 */

const form = document.querySelector("form[data-uploads]");
const words = JSON.parse(form.dataset.uploads);
const removeName = "formd.remove";
const boxes = ".files[data-action]";

/** False in a frame with `sandbox`, whose script may not read a response: the form sends the files. */
const maySend = origin !== "null";

/** One request at a time: each has the files that the ones before it have stored. */
let queue = Promise.resolve();
let pending = 0;

const inputOf = (box) => box.querySelector("input[type=file]");
/** The control of a field: each request replaces it. */
const boxOf = (name) => [...form.querySelectorAll(boxes)].find((box) => inputOf(box).name === name);

/** Status line below each control. */
for (const box of form.querySelectorAll(boxes)) {
  const line = document.createElement("p");
  line.className = "count";
  line.setAttribute("role", "status");
  if (matchMedia("(hover: hover)").matches) line.textContent = words.drop;
  box.after(line);
}

/** Sends a post. Resolves with the control of the field in the response. */
function send(box, body, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", box.dataset.action);
    request.setRequestHeader("accept", "text/html");
    request.responseType = "document";
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener("load", () => {
      const { name } = inputOf(box);
      const found = request.response?.querySelector(`input[type=file][name="${CSS.escape(name)}"]`);
      if (found) resolve(found.closest(boxes));
      else reject();
    });
    request.addEventListener("error", reject);
    request.send(body);
  });
}

/** @param done the text of the line below once it has succeeded */
async function change(field, { removed = "", files = [], done }) {
  const box = boxOf(field);
  const line = box.nextElementSibling;
  const input = inputOf(box);
  const body = new FormData();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
  body.append(removeName, removed);
  for (const file of files) body.append(field, file);
  const progress = document.createElement("progress");
  line.className = "count";
  line.textContent = `${words.sending} `;
  if (files.length > 0) {
    progress.setAttribute("aria-label", words.sending);
    progress.value = 0;
    line.append(progress);
  }
  const hadFocus = box.contains(document.activeElement);
  input.disabled = true;
  try {
    const found = await send(box, body, (part) => {
      progress.value = part;
    });
    const message = found.querySelector(".error")?.textContent;
    const isLeft = document.activeElement !== document.body && !box.contains(document.activeElement);
    box.replaceWith(found);
    if (hadFocus && !isLeft) inputOf(found).focus();
    line.textContent = message ?? done;
    // The message is shown beside the control.
    line.classList.toggle("read-only-aloud", message !== undefined);
    form.dispatchEvent(new Event("input", { bubbles: true }));
  } catch {
    input.disabled = false;
    line.textContent = words.failed;
    line.classList.add("over");
  }
}

function enqueue(box, what) {
  const field = inputOf(box).name;
  pending++;
  queue = queue.then(() => change(field, what)).finally(() => pending--);
}

function upload(box) {
  const files = [...inputOf(box).files];
  const names = files.map(({ name }) => name).join(", ");
  if (maySend && files.length > 0) enqueue(box, { files, done: words.sent.replace("{names}", () => names) });
}

form.addEventListener("change", ({ target }) => {
  if (target.type === "file") upload(target.closest(boxes));
});

form.addEventListener("click", (event) => {
  const button = event.target.closest(`button[name="${removeName}"]`);
  if (!button || !maySend) return;
  event.preventDefault();
  const name = document.getElementById(button.getAttribute("aria-describedby")).textContent.trim();
  const done = words.removed.replace("{names}", () => name);
  enqueue(button.closest(boxes), { removed: button.value, done });
});

// The form waits for uploads in progress.
form.addEventListener("submit", (event) => {
  if (pending === 0) return;
  event.preventDefault();
  const { submitter } = event;
  queue.then(() => form.requestSubmit(submitter));
});

// A file that is dropped beside a control would take the place of the page.
for (const kind of ["dragover", "dragleave", "drop"])
  document.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    const box = event.target.closest?.(boxes);
    if (!box) return;
    box.classList.toggle("over", kind === "dragover");
    const input = inputOf(box);
    if (kind !== "drop" || input.disabled) return;
    const taken = new DataTransfer();
    for (const file of [...event.dataTransfer.files].slice(0, input.multiple ? undefined : 1))
      taken.items.add(file);
    input.files = taken.files;
    upload(box);
  });
