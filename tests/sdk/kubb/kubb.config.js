// Types, and functions that call `fetch`.

import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";

export default defineConfig({
  input: { path: "almanac.en.json" },
  output: { path: "client", clean: true, extension: { ".ts": ".js" }, format: false, lint: false },
  plugins: [pluginOas({ generators: [] }), pluginTs(), pluginClient({ client: "fetch", bundle: true })],
});
