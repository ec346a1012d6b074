// Receives webhooks, and verifies their signatures.

const { createServer } = require("node:http");
const { Webhook, WebhookVerificationError } = require("standardwebhooks");

const [port, secret] = process.argv.slice(2); // the secret that `almanac webhook add` has printed

/** The status of the response to a message. */
function receive(body, headers) {
  try {
    const { type, data } = new Webhook(secret).verify(body, headers);
    console.log(type, data.id, data.title ?? "");
    return 204;
  } catch (error) {
    if (error instanceof WebhookVerificationError) {
      return 400;
    }
    throw error;
  }
}

createServer(async (request, response) => {
  const body = (await request.toArray()).join("");
  response.writeHead(receive(body, request.headers)).end();
}).listen(Number(port));
