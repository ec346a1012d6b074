"""Sends requests and writes them down with their responses."""

import json
from urllib.parse import urlencode

from exchange import Masked, Request, digest

HOST = "calendar.example.org"
# Objects with an ID, and bodies of successful responses, are shown in full only once if they are longer than this.
SHORT = 300


class Recorder:
    """Writes the exchanges with one server to a file."""

    def __init__(self, file, server, name):
        self._file = file
        self._server = server
        self._name = name
        self._group = ""
        self._number = 0
        self._shown = {}

    def begin(self, group):
        self._group = group
        self._number = 0

    def root(self, prefix):
        return Root(self, prefix)

    def send(self, method, path, user=None, headers=(), body=None):
        """Sends a request as a user of `server.USERS` (or with any value of `Authorization`)."""
        sent = [("Host", HOST)]
        if user:
            credentials = self._server.credentials.get(user)
            sent.append(("Authorization", Masked(credentials, user) if credentials else user))
        return self.send_exactly(method, path, [*sent, *headers], body)

    def send_exactly(self, method, path, headers, body=None):
        """Sends a request with no other headers than these."""
        request = Request(method, path, headers, body)
        response = request.send(self._server.address, self._next_label())
        return self._write(request, response, self._body_lines(request, response))

    def names_of_metrics(self, path):
        """Records the names and types of metrics. Their values differ from run to run."""
        request = Request("GET", path, [("Host", HOST)])
        response = request.send(self._server.address, self._next_label())
        types = [line for line in response.text.splitlines() if line.startswith("# TYPE ")]
        return self._write(request, response.without_length(), sorted(types))

    def _next_label(self):
        self._number += 1
        return f"{self._group} {self._number:03}"

    def _write(self, request, response, body):
        title = f"=== {self._name} {response.label}: {request.method} {request.path}"
        lines = [title, *request.lines(), *response.header_lines(), *body]
        self._file.write("\n".join(lines) + "\n\n")
        return response

    def _body_lines(self, request, response):
        label = response.label
        body = response.json
        if body is None:
            return response.text_lines()
        if request.path.split("?")[0].rstrip("/").endswith("/doc") and response.status == 200:
            # `run documents` compares the documents themselves.
            return [f"openapi {body['openapi']}: {body['info']['title']}", digest(response.text.encode())]
        if len(response.text) > SHORT and response.status < 400:
            shown = self._shown.setdefault(response.text, label)
            if shown != label:
                return [f"(body of {shown})"]
        return json.dumps(self._abbreviate(label, body), indent=1, ensure_ascii=False).split("\n")

    def _abbreviate(self, label, body):
        """The body with the objects in it that were shown before replaced by references."""
        if isinstance(body, list):
            return [self._reference(label, item) for item in body]
        if isinstance(body, dict):
            return {name: self._reference(label, item) for name, item in body.items()}
        return body

    def _reference(self, label, value):
        if isinstance(value, dict) and "id" in value:
            text = json.dumps(value)
            if len(text) > SHORT:
                shown = self._shown.setdefault(text, label)
                if shown != label:
                    return f"({value['id']} of {shown})"
        return self._abbreviate(label, value)


class Root:
    """Requests below a path. Keyword arguments are headers: `if_match` is `If-Match`."""

    def __init__(self, recorder, prefix):
        self._recorder = recorder
        self._prefix = prefix

    def send(self, method, path, user=None, json_body=None, form=None, body=None, **headers):
        """Sends one of: `json_body`, which is sent as JSON; `form`, a text or pairs; `body`, bytes as they are."""
        if json_body is not None:
            headers.setdefault("content_type", "application/json")
            body = json.dumps(json_body, ensure_ascii=False).encode()
        if form is not None:
            headers.setdefault("content_type", "application/x-www-form-urlencoded")
            body = (form if isinstance(form, str) else urlencode(form)).encode()
        named = [(name.replace("_", "-").title(), value) for name, value in headers.items() if value is not None]
        return self._recorder.send(method, self._prefix + path, user, named, body)

    def get(self, path, user=None, **headers):
        return self.send("GET", path, user, **headers)

    def post(self, path, json_body=None, user="admin", **rest):
        return self.send("POST", path, user, json_body, **rest)

    def put(self, path, json_body=None, user="admin", **rest):
        return self.send("PUT", path, user, json_body, **rest)

    def patch(self, path, json_body=None, user="admin", **rest):
        return self.send("PATCH", path, user, json_body, **rest)

    def delete(self, path, user="admin", **rest):
        return self.send("DELETE", path, user, **rest)
