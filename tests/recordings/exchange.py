"""Requests and responses as they go over the connection, and as recordings show them."""

import gzip
import hashlib
import json
import re
import socket
from http.client import HTTPResponse
from urllib.parse import quote

# What paths and queries may contain (RFC 3986); other characters are sent percent-encoded.
ALLOWED = "!$%&'()*+,-./:;=?@[]_~"
BOUNDARY = "boundary-of-the-parts"
# Longer texts and bytes are shown by their digest.
LONGEST_TEXT = 60_000
LONGEST_REQUEST_BODY = 3_000


class Masked(str):
    """A header value that recordings show by a description."""

    def __new__(cls, value, description):
        masked = super().__new__(cls, value)
        masked.description = f"({description})"
        return masked


class Request:
    def __init__(self, method, path, headers, body=None):
        self.method = method
        self.path = quote(path, safe=ALLOWED)
        self.headers = headers
        self.body = body

    def send(self, address, label):
        """Sends the request on a connection of its own."""
        host, port = address.split(":")
        with socket.create_connection((host, int(port)), timeout=120) as connection:
            # At once: if the body came later, the server might already have refused the request and the connection.
            connection.sendall(self._bytes())
            with HTTPResponse(connection, method=self.method) as response:
                response.begin()
                return Response(label, response.status, response.getheaders(), response.read())

    def _bytes(self):
        """The request. A body that is a list of chunks is sent without a length."""
        headers, body = list(self.headers), self.body
        if isinstance(body, list):
            headers.append(("Transfer-Encoding", "chunked"))
            body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in [*body, b""])
        elif body is not None:
            headers.append(("Content-Length", len(body)))
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
        return "\r\n".join([*lines, "", ""]).encode() + (body or b"")

    def lines(self):
        headers = [f"> {name}: {getattr(value, 'description', value)}" for name, value in self.headers]
        return headers + ["> " + line for line in self._body_lines()]

    def _body_lines(self):
        if not self.body:
            return []
        if isinstance(self.body, list):
            return [f"({len(self.body)} chunks, {sum(map(len, self.body))} bytes)"]
        if len(self.body) > LONGEST_REQUEST_BODY:
            return [digest(self.body)]
        return self.body.decode(errors="backslashreplace").splitlines()


class Response:
    def __init__(self, label, status, headers, body):
        self.label = label
        self.status = status
        self.headers = [(name.lower(), value) for name, value in headers]
        self.body = body

    def header(self, name):
        return next((value for other, value in self.headers if other == name), "")

    @property
    def json(self):
        try:
            return json.loads(self.text)
        except ValueError:
            return None

    @property
    def text(self):
        compressed = self.header("content-encoding") == "gzip" and self.body
        return (gzip.decompress(self.body) if compressed else self.body).decode(errors="backslashreplace")

    @property
    def id(self):
        """The ID of the object in the body; 0 if there is none."""
        body = self.json
        return body.get("id", 0) if isinstance(body, dict) else 0

    @property
    def etag(self):
        return Masked(self.header("etag"), f"ETag of {self.label}")

    def without_length(self):
        """The response without the headers that depend on the length and bytes of its body."""
        headers = [(name, value) for name, value in self.headers if name not in ("content-length", "etag")]
        return Response(self.label, self.status, headers, b"")

    def header_lines(self):
        """Status and headers, sorted by name. Those of the connection's own are left out."""
        headers = [header for header in self.headers if header[0] not in ("date", "x-request-id")]
        lines = [f"< {name}: {in_order(name, value)}" for name, value in headers]
        request_id = self.header("x-request-id")
        if request_id:
            generated = re.fullmatch("[0-9a-f]{32}", request_id)
            lines.append(f"< x-request-id: {'(generated)' if generated else request_id}")
        return [f"< {self.status}", *sorted(lines)]

    def text_lines(self):
        """The body of a response that is not JSON."""
        is_text = self.header("content-type").startswith("text/")
        if is_text and len(self.text) < LONGEST_TEXT:
            return self.text.splitlines()
        return [digest(self.text.encode())] if self.body else []


def in_order(name, value):
    """The value of a header. The lists of CORS come in an order that differs from process to process."""
    is_set = re.fullmatch("access-control-(allow|expose)-(headers|methods)", name)
    return ", ".join(sorted(value.split(", "))) if is_set else value


def digest(content):
    return f"({len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()[:16]})"


def multipart(fields, files=()):
    """The content type and body of a form as multipart/form-data."""
    parts = [f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}' for name, value in fields]
    for name, file_name, content in files:
        disposition = f'Content-Disposition: form-data; name="{name}"; filename="{file_name}"'
        parts.append(f"{disposition}\r\nContent-Type: image/jpeg\r\n\r\n{content}")
    body = "".join(f"--{BOUNDARY}\r\n{part}\r\n" for part in parts) + f"--{BOUNDARY}--\r\n"
    return f"multipart/form-data; boundary={BOUNDARY}", body.encode()
