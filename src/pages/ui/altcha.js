/** The proof of work of a form's page, done when the form is sent. WebCrypto needs no worker. */
const line = document.querySelector("[data-altcha]");
const { form } = document.querySelector(".captcha input");
const token = form.elements["formd.captcha"];
const batchSize = 8;

const fromHex = (text) => Uint8Array.from(text.match(/../g), (pair) => Number.parseInt(pair, 16));
const toHex = (buffer) =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** PBKDF2 of the nonce and the counter as 32 bits: https://altcha.org/docs/v2/. */
async function derive({ nonce, salt, cost, keyLength }, counter) {
  const start = fromHex(nonce);
  const password = new Uint8Array(start.length + 4);
  password.set(start);
  new DataView(password.buffer).setUint32(start.length, counter);
  const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
  const parameters = { name: "PBKDF2", hash: "SHA-256", salt: fromHex(salt), iterations: cost };
  return toHex(await crypto.subtle.deriveBits(parameters, key, 8 * keyLength));
}

async function solve() {
  const response = await fetch(line.dataset.altcha);
  if (!response.ok) throw new Error(`The challenge has status ${response.status}.`);
  const challenge = await response.json();
  for (let first = 0; ; first += batchSize) {
    const keys = await Promise.all(
      Array.from({ length: batchSize }, (_, index) => derive(challenge.parameters, first + index)),
    );
    const index = keys.findIndex((key) => key.startsWith(challenge.parameters.keyPrefix));
    const solution = { counter: first + index, derivedKey: keys[index] };
    if (index >= 0) return btoa(JSON.stringify({ challenge, solution }));
  }
}

function show(className, text) {
  line.className = className;
  line.textContent = text;
}

let isSolving = false;
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (isSolving) return;
  isSolving = true;
  show("hint", line.dataset.working);
  try {
    token.value = await solve();
    // A field may be named "submit".
    HTMLFormElement.prototype.submit.call(form);
  } catch {
    show("error", line.dataset.failed);
    isSolving = false;
  }
});
// Back from the next page.
addEventListener("pageshow", () => {
  isSolving = false;
  show("hint", "");
});
