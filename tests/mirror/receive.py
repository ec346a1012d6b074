"""Receives webhooks, and verifies their signatures."""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

PORT, SECRET = int(sys.argv[1]), sys.argv[2]  # the secret that `almanac webhook add` has printed


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            message = Webhook(SECRET).verify(body, dict(self.headers))
        except WebhookVerificationError:
            self.send_response(400)
        else:
            print(message["type"], message["data"]["id"], message["data"].get("title", ""), flush=True)
            self.send_response(204)
        self.end_headers()


HTTPServer(("", PORT), Handler).serve_forever()
