"""A request as it was sent, and the response."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Exchange:
    """A request and its response."""

    method: str
    url: str
    media_type: str
    body: bytes
    is_strict: bool
    """Whether the request prefers strict handling (RFC 7240)."""
    status: int
    response: Any

    @classmethod
    def of(cls, request: Any, status: int, response: bytes) -> Exchange:
        """From a `requests.PreparedRequest`, and the status and body of the response."""
        body = request.body or b""
        return cls(
            method=request.method,
            url=request.url,
            media_type=request.headers.get("Content-Type", "").partition(";")[0].strip().lower(),
            body=body.encode() if isinstance(body, str) else body,
            is_strict=request.headers.get("Prefer") == "handling=strict",
            status=status,
            response=parsed(response),
        )

    @property
    def path(self) -> str:
        return urlsplit(self.url).path.rstrip("/")

    def path_values(self, template: str) -> dict[str, str]:
        """The value of each `{name}` of the template."""
        parts = zip(template.split("/"), self.path.split("/"), strict=False)
        return {name[1:-1]: unquote(text) for name, text in parts if name.startswith("{")}

    @property
    def query(self) -> dict[str, list[str]]:
        """The values of each parameter, in order."""
        texts: dict[str, list[str]] = {}
        for name, text in parse_qsl(urlsplit(self.url).query, keep_blank_values=True):
            texts.setdefault(name, []).append(text)
        return texts

    @property
    def selected(self) -> set[str]:
        """The members that the request selects with `fields`; empty if it does not."""
        names = {name.strip() for text in self.query.get("fields", []) for name in text.split(",")}
        return names - {""}

    @property
    def text(self) -> str:
        """The request body as text."""
        return self.body.decode(errors="replace")

    @property
    def json(self) -> Any:
        """The request body as a JSON value, or as text if it is not JSON."""
        return parsed(self.body)

    @property
    def errors(self) -> dict[str, str]:
        """The validation errors in the response: messages by field or parameter."""
        data = self.response.get("data") if isinstance(self.response, dict) else None
        params = data.get("params") if isinstance(data, dict) else None
        return params or {}

    @property
    def code(self) -> str:
        return str(self.response.get("code")) if isinstance(self.response, dict) else ""

    def __str__(self) -> str:
        return f"{self.method} {self.url} {self.text}\nresponse {self.status}: {json.dumps(self.response)[:2000]}"


def parsed(text: bytes) -> Any:
    """The JSON value, or the text itself if it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text.decode(errors="replace")
