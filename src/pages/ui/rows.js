/** Rows of lists with `data-rows`: added, moved, dragged and removed; a pasted line becomes a row. */

const rowOf = (node) => node.closest?.("[data-rows] > *");
const textIn = (row) => row.querySelector("input:not([type=hidden])");

/** Numbers the rows, and tells the form that it has changed. */
function changed(list) {
  for (const [index, row] of [...list.children].entries())
    for (const each of row.querySelectorAll("[data-says]"))
      each.setAttribute("aria-label", each.dataset.says.replace("#", index + 1));
  list.dispatchEvent(new Event("change", { bubbles: true }));
}

const clear = (row) => {
  for (const input of row.querySelectorAll("input")) input.value = "";
};

/** Makes a row after another one. */
function addAfter(row, text = "") {
  const made = row.cloneNode(true);
  clear(made);
  row.after(made);
  textIn(made).value = text;
  return made;
}

/** Removes a row, or the text of the only one. Returns the row that is next. */
function remove(row) {
  const next = row.nextElementSibling ?? row.previousElementSibling;
  if (!next) clear(row);
  else row.remove();
  return next ?? row;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button[data-row]");
  if (!button) return;
  event.preventDefault();
  const { row: act } = button.dataset;
  const list = button.closest("fieldset").querySelector("[data-rows]");
  let row = rowOf(button);
  if (act === "up") row.previousElementSibling?.before(row);
  else if (act === "down") row.nextElementSibling?.after(row);
  else if (act === "remove") row = remove(row);
  else row = [...list.children].find((each) => !textIn(each).value) ?? addAfter(list.lastElementChild);
  const focused = act === "up" || act === "down" ? button : textIn(row);
  focused.focus();
  // The first row has no button that moves it up.
  if (document.activeElement !== focused) textIn(row).focus();
  changed(list);
});

// Enter leads to the next row, and makes it if there is none. In an empty row it does what it does elsewhere.
document.addEventListener("keydown", (event) => {
  const row =
    event.key === "Enter" && !event.isComposing && event.target.matches("input") && rowOf(event.target);
  if (!row || textIn(row).value.trim() === "") return;
  event.preventDefault();
  textIn(row.nextElementSibling ?? addAfter(row)).focus();
  changed(row.parentElement);
});

document.addEventListener("paste", (event) => {
  const row = rowOf(event.target);
  if (!row || textIn(row) !== event.target) return;
  const pasted = event.clipboardData.getData("text/plain").split(/\r?\n/);
  const [first, ...others] = pasted.map((line) => line.trim()).filter(Boolean);
  if (others.length === 0) return;
  event.preventDefault();
  event.target.setRangeText(first, event.target.selectionStart, event.target.selectionEnd, "end");
  textIn(others.reduce(addAfter, row)).focus();
  changed(row.parentElement);
});

let dragged;
/** The row before which the dragged one was: it goes back there if it is dropped outside. */
let before;
document.addEventListener("dragstart", (event) => {
  if (!event.target.matches?.("[data-rows] .handle")) return;
  dragged = rowOf(event.target);
  before = dragged.nextSibling;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", textIn(dragged).value);
  event.dataTransfer.setDragImage(dragged, 0, 0);
});
document.addEventListener("dragover", (event) => {
  if (!dragged?.parentElement.contains(event.target)) return;
  // Also over the gap between two rows: a drop there is no drop outside.
  event.preventDefault();
  const row = rowOf(event.target);
  if (!row || row === dragged) return;
  const { top, height } = row.getBoundingClientRect();
  row[event.clientY < top + height / 2 ? "before" : "after"](dragged);
});
// A text that is dropped on an input would be written into it.
document.addEventListener("drop", (event) => dragged && event.preventDefault());
document.addEventListener("dragend", (event) => {
  if (!dragged) return;
  const list = dragged.parentElement;
  if (event.dataTransfer.dropEffect === "none") list.insertBefore(dragged, before);
  dragged = undefined;
  changed(list);
});
