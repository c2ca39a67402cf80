"""formd_owner: a client for owners of forms of formd, in one file.

Copy it into your project, or install the package `formd-owner`. It needs Python 3.9 or later; the public key of a
webhook (`whpk_…`) needs the package `cryptography`.

    owner = Owner(base, api_key)
    form = owner.create_form("Contact")                 # a draft: a person publishes it
    field = {"id": "email", "type": "email", "label": "E-mail"}
    owner.patch_form(form["id"], lambda form: [{"op": "addField", "field": field}])
    for submission in owner.submissions(form["id"], status="pending"): …
    owner.export_to("submissions.csv", form["id"], format="csv")
"""

import base64
import contextlib
import hashlib
import hmac
import json
import os
import re
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request
import warnings


class FormdError(Exception):
    """A response that is no success. Branch on `code`; `errors` has the faults of a submission, by field."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body.get('code')}: {body.get('error')}")
        self.status, self.code, self.body, self.errors = status, body.get("code"), body, body.get("errors", [])


_MAX_REBASES = 5


def _warn(warning):
    warnings.warn(f"formd: {warning['message']}", stacklevel=5)


class Owner:
    """An owner of forms, by an API key (`fdk_…`).

    `on_warning` takes each warning of a response (`message`, `path`, `nearest`): something that was stored or ignored,
    and has no effect as it was sent; without it, `warnings.warn`. After 429, 502, 503 and 504 a call waits and
    repeats, for at most `max_wait_seconds`; one that creates something after 429 only, since it may have been carried
    out. OSError is raised if the server is silent for `timeout_seconds`.
    """

    def __init__(self, base, api_key, on_warning=_warn, max_wait_seconds=60, timeout_seconds=60):
        self.base, self.api_key, self.on_warning = base, api_key, on_warning
        self.max_wait_seconds, self.timeout_seconds = max_wait_seconds, timeout_seconds

    def create_form(self, name, **members):
        """Creates a draft; `members` are `description`, `schema`, `template`, `language`, `workspaceId`.
        A person publishes it."""
        return self._data("POST", "/forms", {"name": name, **members})["form"]

    def form(self, form_id):
        """A form; `schema` is the draft."""
        return self._data("GET", _at("forms", form_id))["form"]

    def forms(self, **query):
        """Yields every form of the team, newest first."""
        return self._items("/forms", {"total": False, **query})

    def patch_form(self, form_id, operations_of):
        """Edits the draft of a form. `operations_of` takes the form and returns a list of operations.

        If another edit came first (409), it is called again with the form as it is then, so that neither edit is lost.
        Without operations nothing is sent. Returns the form as it is then.
        """
        return self._rebased("form", _at("forms", form_id), "operations", operations_of)

    def submissions(self, form_id, **query):
        """Yields every submission of a form, newest first. Filters are `status="pending"`, `q="Ada"`, …"""
        return self._items(_at("forms", form_id, "submissions"), {"total": False, **query})

    def submission(self, form_id, submission_id):
        """A submission."""
        return self._data("GET", _at("forms", form_id, "submissions", submission_id))["submission"]

    def edit_submission(self, form_id, submission_id, edits_of):
        """Edits values of a submission, as `patch_form` edits a form. An edit is `{"fieldId": …, "value": …}`."""
        return self._rebased("submission", _at("forms", form_id, "submissions", submission_id), "edits", edits_of)

    def edits(self, form_id, submission_id):
        """Yields the edits of a submission, one per field, newest first."""
        return self._items(_at("forms", form_id, "submissions", submission_id, "edits"), {"total": False})

    def review_submission(self, submission, decision, reason=None):
        """Decides (`approve`, `reject`, `reopen`) on a submission as it was read: 409 if it has changed since."""
        body = {"decision": decision, "reason": reason, "expectedUpdatedAt": submission["updatedAt"]}
        path = _at("forms", submission["formId"], "submissions", submission["id"], "review")
        return self._data("POST", path, body)["submission"]

    def delete_submission(self, form_id, submission_id):
        """Erases the values of a submission, in its edits too."""
        self._data("DELETE", _at("forms", form_id, "submissions", submission_id))

    def export_to(self, file, form_id, **query):
        """Writes an export to a file as it arrives. The file is there once it is complete.

        `format` is `csv`, `jsonl` or `xlsx`; `files="zip"` adds the files; the filters of `submissions`.
        """
        part = f"{file}.{os.urandom(8).hex()}.part"  # Two exports to one file do not mix.
        try:
            with self._open("GET", _at("forms", form_id, "submissions", "export") + _text_of(query)) as response:
                for found in re.findall(r'299 formd "((?:[^"\\]|\\.)*)"', response.headers.get("warning", "")):
                    self.on_warning({"message": re.sub(r"\\(.)", r"\1", found)})
                with open(part, "wb") as written:
                    shutil.copyfileobj(response, written)
            os.replace(part, file)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.remove(part)

    def create_webhook(self, url, event_types, **members):
        """Makes a webhook; `members` are `payload`, `formId`, `workspaceId`. Returns `webhook` and `secrets`, which are
        in this response only: `secret` (`whsec_…`) and `publicKey` (`whpk_…`)."""
        return self._data("POST", "/webhooks", {"url": url, "eventTypes": event_types, **members})

    def webhooks(self, **query):
        """Yields every webhook of the team, newest first."""
        return self._items("/webhooks", query)

    def delete_webhook(self, webhook_id):
        """Deletes a webhook, with its deliveries."""
        self._data("DELETE", _at("webhooks", webhook_id))

    def read_pages(self, path, **query):
        """Yields the pages of a list, such as `/forms/…/submissions`: the items, and the next cursor.

        A page may be empty. With `order="oldest"` keep the cursor of the last one, and go on with `cursor=` later.
        """
        while True:
            data = self._data("GET", path + _text_of(query))
            pagination = data["pagination"]
            cursor = pagination.get("next")
            items = next(data[name] for name in data if name != "warnings" and isinstance(data[name], list))
            yield items, cursor
            # A list of few items has pages by number, and no cursors.
            has_numbers = "next" not in pagination
            is_last = has_numbers and pagination["page"] * pagination["limit"] >= pagination["total"]
            if is_last or not (has_numbers or pagination.get("hasMore", cursor is not None)):
                return
            query = {**query, **({"page": pagination["page"] + 1} if has_numbers else {"cursor": cursor})}

    def _items(self, path, query):
        for items, _ in self.read_pages(path, **query):
            yield from items

    def _rebased(self, name, path, member, changes_of):
        """Reads, edits by its `updatedAt`, and begins again after a 409 that another edit was the reason of."""
        for rebases in range(_MAX_REBASES + 1):
            resource = _data_of(self._open("GET", path))[name]
            changes = changes_of(resource)
            if not changes:
                return resource
            try:
                body = {member: changes, "expectedUpdatedAt": resource["updatedAt"]}
                return self._data("PATCH", path, body)[name]
            except FormdError as error:
                # Without a newer state the changes themselves are in conflict, such as a field that exists.
                current = error.body.get("current", {}).get("updatedAt", resource["updatedAt"])
                if error.code != "conflict" or rebases == _MAX_REBASES or current == resource["updatedAt"]:
                    raise

    def _data(self, method, path, body=None):
        data = _data_of(self._open(method, path, body))
        for warning in data.get("warnings", []):
            self.on_warning(warning)
        return data

    def _open(self, method, path, body=None):
        headers = {"x-api-key": self.api_key, **({} if body is None else {"content-type": "application/json"})}
        content = None if body is None else json.dumps(body).encode()
        deadline, url = time.monotonic() + self.max_wait_seconds, f"{self.base}/papi/v1/management{path}"
        return _open(method, url, headers, content, deadline, self.timeout_seconds, method != "POST")


def _at(*parts):
    """A path. An id is one part of it, also if it has a slash."""
    return "".join("/" + urllib.parse.quote(str(part), safe="") for part in parts)


def _text_of(query):
    sent = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
    return f"?{urllib.parse.urlencode(sent)}" if sent else ""


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
