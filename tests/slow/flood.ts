/**
 * Sends the body on stdin to a URL, one request after another over one connection, until it is killed. Prints
 * each status.
 */
import { text } from "node:stream/consumers";

const [, , url = "", accessKey = ""] = process.argv;
const body = await text(process.stdin);
const headers = {
  "content-type": "application/json",
  "x-form-access-key": accessKey,
  "x-forwarded-for": "192.0.2.99",
};
for (;;) {
  const response = await fetch(url, { method: "POST", headers, body });
  await response.text();
  console.log(response.status);
}
