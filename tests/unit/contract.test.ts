/** The check that every black-box test stands on must be able to say no. */
import { expect, test } from "bun:test";
import { assertContract } from "../contract.ts";

const path = "/papi/v1/submitter/form/submissions";
const id = "0199aa00-0000-7000-8000-000000000001";
const sent = new Headers({ "x-form-access-key": "fdf_x", "x-respondent-token": "fds_x" });
const headers = new Headers({
  "content-type": "application/json; charset=utf-8",
  "x-request-id": "1",
  ratelimit: '"ip";r=1;t=1',
  "ratelimit-policy": '"ip";q=1;w=1',
});
const html = new Headers({ "content-type": "text/html" });
const without = (name: string) => new Headers([...headers].filter(([key]) => key !== name));
const receipt = { id, status: "completed", missingRequired: [] };
const body = (data: object, beside: object = {}) => ({ data, apiVersion: "v1", ...beside });
const request = { method: "POST", path, sent, body: { data: {} } };
const answer = { status: 200, headers, body: body(receipt) };
const errorEnvelope = (code: string) => ({ error: "No.", code, apiVersion: "v1" });

test("an exchange that the document describes passes, with pointers in the envelope too", () => {
  assertContract(request, answer);
  assertContract(request, { ...answer, body: body(receipt, { _docs: "http://localhost/papi/v1/docs" }) });
  assertContract(request, { ...answer, status: 403, body: errorEnvelope("no_grant") });
  const odd = { ...request, path: `${path}?partial=maybe` };
  assertContract(odd, { ...answer, status: 400, body: errorEnvelope("bad_request") });
  const nowhere = { ...request, path: "/papi/v1/nowhere" };
  assertContract(nowhere, { ...answer, status: 404, body: errorEnvelope("not_found") });
});

test.each([
  ["a status", { ...answer, status: 201 }, "the status is not described"],
  ["a media type", { ...answer, headers: html }, "the media type text/html"],
  ["a member of the data", { ...answer, body: body({ ...receipt, extra: 1 }) }, "extra"],
  ["a member of the envelope", { ...answer, body: body(receipt, { extra: 1 }) }, "extra"],
  ["a value of an enumeration", { ...answer, body: body({ ...receipt, status: "done" }) }, "status"],
  ["a code of the status", { ...answer, status: 403, body: errorEnvelope("csrf_rejected") }, "code"],
  [
    "a member of a problem",
    { ...answer, status: 403, body: { ...errorEnvelope("no_grant"), why: "" } },
    "why",
  ],
])("a response is rejected for %s that is not described", (_title, undescribed, why) => {
  expect(() => assertContract(request, undescribed)).toThrow(why);
});

test.each([
  ["a missing member", { ...answer, body: body({ id, status: "completed" }) }, "missingRequired"],
  ["a missing header", { ...answer, headers: without("ratelimit") }, "the header ratelimit is missing"],
])("a response is rejected for %s", (_title, lacking, why) => {
  expect(() => assertContract(request, lacking)).toThrow(why);
});

test.each([
  ["its body", { ...request, body: { data: [] } }, "/data must be object"],
  ["its query", { ...request, path: `${path}?partial=maybe` }, "parameters/partial must be boolean"],
  ["its credentials", { ...request, sent: new Headers() }, "no credential"],
  ["having no body", { ...request, body: undefined }, "no body"],
  ["its route", { ...request, path: "/papi/v1/submitter/other" }, "no such operation"],
])("a request that succeeds is refused for %s, where the document does not allow it", (_title, odd, why) => {
  expect(() => assertContract(odd, answer)).toThrow(why);
});
