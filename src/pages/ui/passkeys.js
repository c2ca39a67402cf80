/** Passkeys: asks the browser for one, and sends its response with the form. */

/** Returns the server's options: from the page, or fetched, so that reading a page costs no challenge. */
async function optionsOf({ passkey, options, from }) {
  if (passkey === "create") return PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options));
  const response = await fetch(from, { method: "POST" });
  if (!response.ok) throw new Error(`${response.status}`);
  return PublicKeyCredential.parseRequestOptionsFromJSON(await response.json());
}

for (const button of document.querySelectorAll("button[data-passkey]")) {
  // Absent where passkeys do not work: an old browser, or a page without https.
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) continue;
  const part = button.parentElement;
  const failed = part.querySelector("[role=alert]");
  const isNew = button.dataset.passkey === "create";
  button.hidden = false;
  part.querySelector(".needs-script").hidden = true;
  button.addEventListener("click", async () => {
    if (isNew && !button.form.reportValidity()) return;
    button.disabled = true;
    failed.textContent = "";
    try {
      const publicKey = await optionsOf(button.dataset);
      const credential = await navigator.credentials[isNew ? "create" : "get"]({ publicKey });
      part.querySelector("input").value = JSON.stringify(credential);
      // Without the form's own checks: beside a passkey no password is needed.
      button.form.noValidate = true;
      button.form.requestSubmit();
    } catch {
      failed.textContent = failed.dataset.message;
      button.disabled = false;
    }
  });
}
