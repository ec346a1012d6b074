"""A server process on a fresh SQLite database, with a stopped clock."""

import os
import re
import subprocess
import tempfile
import time
from base64 import b64encode
from pathlib import Path

HERE = Path(__file__).parent
PROGRAM = Path(os.environ.get("ALMANAC_PROGRAM", HERE.parents[1] / "target/release/almanac")).resolve()

# 2026-11-20 12:00:00 UTC, a Friday. The demo calendar lies around this day.
NOW = 1_795_176_000

USERS = {"ann": "editor", "ben": "author", "cleo": "contributor", "sue": "subscriber"}


class Server:
    """Starts with these flags, and stops at the end of a `with` block."""

    def __init__(self, *flags):
        self.flags = flags

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory()
        self._environment = self._stop_clock()
        self._process = self._start()
        try:
            self.address, password = self._wait_for_address()
            self.credentials = self._credentials(password)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()

    def _stop_clock(self):
        library = Path(self._folder.name, "clock.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", f"-DNOW={NOW}", "-o", library, HERE / "clock.c"], check=True)
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("ALMANAC_") and name != "NOTIFY_SOCKET"
        }
        # The background threads of the allocator wait until a time of the wall clock. If it is stopped, they never
        # sleep.
        return environment | {"LD_PRELOAD": str(library), "MALLOC_CONF": "background_thread:false"}

    def _start(self):
        with open(f"{self._folder.name}/printed", "wb") as printed, open(f"{self._folder.name}/log", "wb") as log:
            return subprocess.Popen(
                [PROGRAM, "serve", "--listen", "127.0.0.1:0", *self.flags],
                cwd=self._folder.name,
                env=self._environment,
                stdout=printed,
                stderr=log,
            )

    def _wait_for_address(self):
        """Returns host and port, and the administrator's password."""
        for _ in range(600):
            printed = Path(self._folder.name, "printed").read_text()
            address = re.search("^listening on http://(.*)$", printed, re.MULTILINE)
            if address:
                return address[1], re.search("application password: (.*)", printed)[1]
            if self._process.poll() is not None:
                break
            time.sleep(0.1)
        log = Path(self._folder.name, "log").read_text()
        raise RuntimeError(f"the server does not start:\n{log}")

    def _credentials(self, password):
        """`Authorization` headers by the names that recordings show for them."""
        passwords = {"admin": password}
        for name, role in USERS.items():
            passwords[name] = self._run("user", "add", name, "--role", role)
        credentials = {name: basic(name, password) for name, password in passwords.items()}
        token = self._run("token", "add", "--user", "ann", "--expires", "90d")
        revoked = self._run("token", "add", "--user", "ann")
        self._run("token", "revoke", "2")
        return credentials | {"token of ann": f"Bearer {token}", "revoked token": f"Bearer {revoked}"}

    def _run(self, *arguments):
        command = [PROGRAM, *arguments]
        output = subprocess.run(
            command, cwd=self._folder.name, env=self._environment, check=True, stdout=subprocess.PIPE, text=True
        )
        return output.stdout.strip()


def basic(name, password):
    """An `Authorization` header for HTTP Basic."""
    return "Basic " + b64encode(f"{name}:{password}".encode()).decode()
