/** The buttons that copy an example. The pages work without this file. */
for (const button of document.querySelectorAll(".code > button")) {
  // A page by http from another machine has none.
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent.trimEnd());
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
}
