"""formd_agent: a client for agents that submit to forms of formd, in one file.

Copy it into your project, or install the package `formd-agent`. It needs Python 3.9 or later; signatures need the
package `cryptography`.

    agent = Agent(base, access_key, secret=secret)      # or key_id=…, private_key=… (PKCS #8 as PEM)
    result = agent.validate(data)                       # stores nothing: valid, errors, warnings, missingRequired
    cv = agent.upload("cv", "cv.pdf", content)          # for a field of the type file: [{"id": cv["id"]}]
    stored = agent.submit(data)                         # safe to repeat with the same idempotency_key
    signed = agent.receipt(stored["id"])                # keep it, and stored["body"]
    verify_receipt(signed["receipt"], signed["key"], stored["body"])    # without a network
"""

import base64
import datetime
import hashlib
import hmac
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid


class FormdError(Exception):
    """A response that is no success. Branch on `code`; `errors` has the faults of a submission, by field."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body.get('code')}: {body.get('error')}")
        self.status, self.code, self.body, self.errors = status, body.get("code"), body, body.get("errors", [])


class Agent:
    """An agent and a form: its access key (`fdf_…`), and the agent's secret (`fda_…`) or registered Ed25519 key.

    With a secret, a session is made and kept until it expires; `session` is one of an earlier run. With `key_id` and
    `private_key` each request is signed. After 429, 502, 503 and 504 a call waits and repeats, for at most
    `max_wait_seconds`. OSError is raised if the server is silent for `timeout_seconds`.
    """

    def __init__(
        self,
        base,
        access_key,
        secret=None,
        session=None,
        key_id=None,
        private_key=None,
        max_wait_seconds=60,
        timeout_seconds=60,
    ):
        self.base, self.access_key, self.secret = base, access_key, secret
        self.max_wait_seconds, self.timeout_seconds = max_wait_seconds, timeout_seconds
        self._auth = SignedAuth(key_id, private_key) if key_id and private_key else None
        self._session = session

    def session(self):
        """The session by which this agent calls, a new one if there is none: `token` (the header
        `x-respondent-token`) and `expiresAt`. Keep it for a later run: new ones are rate limited per client IP."""
        return self._session_until(time.monotonic() + self.max_wait_seconds)

    def form(self):
        """The published form with its fields, and the JSON Schema of the data."""
        return self._read("GET", "/submitter/form")

    def validate(self, data):
        """The dry run: nothing is stored, and it costs no wait."""
        return self._read("POST", "/submitter/form/validation", {"data": data})

    def submit(self, data, idempotency_key=None, partial=False, metadata=None):
        """Submits. A repeat with the same key stores nothing twice. Raises FormdError, such as `validation_failed`.

        Returns `id`, `status`, `missingRequired`, and `body`, the text as it was sent: keep it, to verify the receipt.
        """
        path = "/submitter/form/submissions" + ("?partial=true" if partial else "")
        body = json.dumps({"data": data, "metadata": metadata or {}})
        headers = {**_JSON, "idempotency-key": idempotency_key or str(uuid.uuid4())}
        return {**_data_of(self._call("POST", path, body.encode(), headers)), "body": body}

    def upload(self, field, name, content):
        """Uploads a file (bytes) for a field of the type `file`. Submit `[{"id": …}]` as its value, in 24 hours."""
        path = "/submitter/form/files?" + urllib.parse.urlencode({"field": field, "name": name})
        return _data_of(self._call("POST", path, content, {"content-type": "application/octet-stream"}))

    def challenge(self, answer_of):
        """Passes a challenge, which a form may require before a submission (403 `challenge_required`).

        `answer_of` takes the challenge (`prompt`, `fieldId`, `remainingAttempts`) and returns a value that the field
        accepts; it is asked again while the value is wrong and attempts remain. Returns `passExpiresAt`. The agent
        needs a registered key. Raises FormdError `challenge_failed` after the last attempt.
        """
        issued = self._read("POST", "/submitter/form/challenges", {})
        path, remaining = f"/submitter/challenges/{issued['challengeId']}/responses", issued["maxAttempts"]
        while remaining > 0:
            answer = answer_of({**issued, "remainingAttempts": remaining})
            result = self._read("POST", path, {"answer": answer})
            if result["passed"]:
                return {"passExpiresAt": result["passExpiresAt"]}
            remaining = result["remainingAttempts"]
        error = "No attempt at the challenge had a right value."
        raise FormdError(403, {"code": "challenge_failed", "error": error})

    def receipt(self, submission_id):
        """The `receipt` of a submission by this agent, and the `key` that signed it, as the server lists it now.

        Keep both. `salt` is for a check of the stored data: `formd receipt verify --data FILE --salt SALT`.
        """
        with self._call("GET", f"/submitter/receipts/{urllib.parse.quote(str(submission_id), safe='')}") as response:
            receipt, salt = response.read().decode(), response.headers.get("receipt-salt", "")
        _, name, signed = receipt.rstrip("\n").rsplit("\n", 1)[1].split(" ")
        keys = self._read("GET", f"/receipt-keys?team={name.rsplit('/', 1)[1]}")["keys"]
        begin = f"{name}+{base64.b64decode(signed)[:4].hex()}+"
        key = next((each["key"] for each in keys if each["key"].startswith(begin)), "")
        return {"receipt": receipt, "salt": salt, "key": key}

    def _read(self, method, path, body=None):
        content = None if body is None else json.dumps(body).encode()
        return _data_of(self._call(method, path, content, {} if body is None else _JSON))

    def _call(self, method, path, content=None, headers=None):
        deadline, url = time.monotonic() + self.max_wait_seconds, f"{self.base}/papi/v1{path}"
        is_renewed = bool(self._auth) or not self.secret
        while True:
            sent = {**(headers or {}), "x-form-access-key": self.access_key}
            if not self._auth:
                sent["x-respondent-token"] = self._session_until(deadline)["token"]
            try:
                return _open(method, url, sent, content, deadline, self.timeout_seconds, auth=self._auth)
            except FormdError as error:
                # The session may have been ended before its time: one new one is tried.
                if error.status != 401 or is_renewed:
                    raise
                is_renewed, self._session = True, None

    def _session_until(self, deadline):
        if self._session and self.secret:
            expires_at = datetime.datetime.fromisoformat(self._session["expiresAt"].replace("Z", "+00:00"))
            if time.time() > expires_at.timestamp() - 60:
                self._session = None
        if not self._session:
            headers = {"x-agent-secret": self.secret or ""}
            url = f"{self.base}/papi/v1/auth/token"
            self._session = _data_of(_open("POST", url, headers, None, deadline, self.timeout_seconds))
        return self._session


_JSON = {"content-type": "application/json"}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which would take the secrets in the headers to another server."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def _open(method, url, headers, content, deadline, timeout=60, may_repeat=True, auth=None):
    """Sends, and after 429, 502, 503 and 504 waits as told and repeats, until the deadline. Returns the response.

    Without `may_repeat` only after 429: a request may have been carried out before the others. Raises FormdError for
    any other response that is no success, and OSError if the server is silent.
    """
    while True:
        signature = auth.headers(method, url, headers, content) if auth else {}
        request = urllib.request.Request(url, content, {**headers, **signature}, method=method)
        try:
            return _opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            status, after = error.code, error.headers.get("retry-after", "")  # A proxy's may be a date, or 0.
            result, wait = _json_of(error.read()), max(1, float(after)) if after.isdecimal() else 1
        repeated = (429, 502, 503, 504) if may_repeat else (429,)
        if status not in repeated or time.monotonic() + wait > deadline:
            raise FormdError(status, result)
        time.sleep(wait)


def _json_of(content):
    """The JSON of a response. A proxy's may be none."""
    try:
        result = json.loads(content)
    except ValueError:
        result = None
    other = {"code": "not_json", "error": "The response is not of formd: it is no JSON."}
    return result if isinstance(result, dict) else other


def _data_of(response):
    with response:
        result = _json_of(response.read())
    if "data" not in result:
        raise FormdError(response.status, result)
    return result["data"]


def read_pages(base, api_key, path, **query):
    """Yields the pages of an owner's list, such as `/management/forms/…/submissions`: the items, and the next cursor.

    A page may be empty. With `order="oldest"` keep the cursor of the last one, and go on with `cursor=` later.
    """
    while True:
        sent = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
        url = f"{base}/papi/v1{path}?{urllib.parse.urlencode(sent)}"
        data = _data_of(_open("GET", url, {"x-api-key": api_key}, None, time.monotonic() + 60))
        items = next(data[name] for name in data if name != "warnings" and isinstance(data[name], list))
        cursor = data["pagination"]["next"]
        yield items, cursor
        if not data["pagination"].get("hasMore", cursor is not None):
            return
        query["cursor"] = cursor


class SignedAuth:
    """Signs requests by HTTP Message Signatures (RFC 9421), as formd verifies them.

    Also an authentication class of two libraries: `requests.post(…, auth=SignedAuth(…))`, `httpx.Client(auth=…)`. It
    covers method, host, path, query if there is one, the access key, and a digest of the body if there is one.
    """

    requires_request_body = True

    def __init__(self, key_id, private_key):
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        pem = private_key.encode() if isinstance(private_key, str) else private_key
        self.key_id, self._key = key_id, load_pem_private_key(pem, None)

    def headers(self, method, url, headers, body=None):
        """The headers to add to a request: content-digest if it has a body, signature-input, signature."""
        target, added = urllib.parse.urlsplit(url), {}
        authority = target.netloc.lower().removesuffix({"http": ":80", "https": ":443"}[target.scheme])
        values = {"@method": method, "@authority": authority, "@path": target.path or "/"}
        if target.query:
            values["@query"] = "?" + target.query
        if body:
            added["content-digest"] = values["content-digest"] = f"sha-256=:{_base64(hashlib.sha256(body).digest())}:"
        access_key = {name.lower(): value for name, value in headers.items()}.get("x-form-access-key")
        if access_key:
            values["x-form-access-key"] = access_key
        nonce = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        names = " ".join(f'"{name}"' for name in values)
        parameters = f'({names});created={int(time.time())};keyid="{self.key_id}";alg="ed25519";nonce="{nonce}"'
        lines = [f'"{name}": {value}' for name, value in values.items()] + [f'"@signature-params": {parameters}']
        added["signature-input"] = f"sig1={parameters}"
        added["signature"] = f"sig1=:{_base64(self._key.sign(chr(10).join(lines).encode()))}:"
        return added

    def __call__(self, request):
        body = request.body.encode() if isinstance(request.body, str) else request.body
        request.headers.update(self.headers(request.method, request.url, request.headers, body))
        return request

    def auth_flow(self, request):
        request.headers.update(self.headers(request.method, str(request.url), dict(request.headers), request.content))
        yield request


def _base64(content):
    return base64.b64encode(content).decode()


def _verify(public_key, signature, content):
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, content)
        return True
    except InvalidSignature:
        return False


def verify_webhook(headers, body, secret):
    """Verifies a webhook (Standard Webhooks 1.0.0) by its secret `whsec_…` or public key `whpk_…`; `body` is bytes.

    Raises ValueError, which says which check fails.
    """
    known = {name.lower(): value for name, value in headers.items()}
    sent = [known.get(f"webhook-{name}") for name in ("id", "timestamp", "signature")]
    if not all(sent):
        raise ValueError("A header is missing: webhook-id, -timestamp or -signature.")
    identifier, timestamp, signatures = sent
    if not re.fullmatch(r"\d{1,12}", timestamp) or abs(int(timestamp) - time.time()) > 300:
        raise ValueError("webhook-timestamp is over 300 s away.")
    content, is_public = f"{identifier}.{timestamp}.".encode() + body, secret.startswith("whpk_")
    key = base64.b64decode(re.sub("^wh(sec|pk)_", "", secret))
    for version, _, signature in (each.partition(",") for each in signatures.split(" ")):
        if is_public and version == "v1a" and _verify(key, base64.b64decode(signature), content):
            return
        expected = _base64(hmac.new(key, content, hashlib.sha256).digest())
        if not is_public and version == "v1" and hmac.compare_digest(signature, expected):
            return
    raise ValueError("No signature in webhook-signature is by this secret.")


def verify_receipt(receipt, key, body=None):
    """Verifies a receipt (a C2SP signed note) by a key of `GET /papi/v1/receipt-keys?team=…`, and its body, if given.

    Returns what the receipt states, by name. Raises ValueError, which says which check fails.
    """
    note = re.fullmatch(r"((?:.*\n)+)\n\u2014 (\S+) (\S+)\n", receipt)
    parts = re.fullmatch(r"(.+)\+[0-9a-f]{8}\+(\S+)", key)
    if not note or not parts:
        raise ValueError("This is no receipt, or no key of one.")
    text, typed, signed = note[1], base64.b64decode(parts[2]), base64.b64decode(note[3])
    if note[2] != parts[1] or signed[:4] != hashlib.sha256(f"{parts[1]}\n".encode() + typed).digest()[:4]:
        raise ValueError("Another key signed it.")
    if not _verify(typed[1:], signed[4:], text.encode()):
        raise ValueError("The signature is not by this key over this receipt.")
    members = dict(line.split(": ", 1) for line in text.splitlines())
    body = body.encode() if isinstance(body, str) else body
    if body is not None and members["request-digest"] != f"sha-256=:{_base64(hashlib.sha256(body).digest())}:":
        raise ValueError("The receipt is for another body.")
    return members
