"""A request as it was sent, and what came back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Exchange:
    """One request and its answer."""

    method: str
    url: str
    media_type: str
    body: bytes
    status: int
    answer: Any

    @classmethod
    def of(cls, request: Any, status: int, answer: bytes) -> Exchange:
        """Takes a `requests.PreparedRequest` as it went out."""
        body = request.body or b""
        return cls(
            method=request.method,
            url=request.url,
            media_type=request.headers.get("Content-Type", "").partition(";")[0].strip().lower(),
            body=body.encode() if isinstance(body, str) else body,
            status=status,
            answer=parsed(answer),
        )

    @property
    def path(self) -> str:
        return urlsplit(self.url).path.rstrip("/")

    def path_values(self, template: str) -> dict[str, str]:
        """What stands in the place of each `{name}` of the template."""
        parts = zip(template.split("/"), self.path.split("/"), strict=False)
        return {name[1:-1]: unquote(text) for name, text in parts if name.startswith("{")}

    @property
    def query(self) -> dict[str, list[str]]:
        """The texts of each parameter, in order."""
        texts: dict[str, list[str]] = {}
        for name, text in parse_qsl(urlsplit(self.url).query, keep_blank_values=True):
            texts.setdefault(name, []).append(text)
        return texts

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace")

    @property
    def json(self) -> Any:
        """The body as a JSON value; as text, where it is none."""
        return parsed(self.body)

    @property
    def faults(self) -> dict[str, str]:
        """What the answer says is wrong: messages by the names of fields and parameters."""
        data = self.answer.get("data") if isinstance(self.answer, dict) else None
        params = data.get("params") if isinstance(data, dict) else None
        return params or {}

    @property
    def code(self) -> str:
        return str(self.answer.get("code")) if isinstance(self.answer, dict) else ""

    def __str__(self) -> str:
        return f"{self.method} {self.url} {self.text}\nanswered {self.status}: {json.dumps(self.answer)[:2000]}"


def parsed(text: bytes) -> Any:
    """The JSON value; the text itself, where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text.decode(errors="replace")
