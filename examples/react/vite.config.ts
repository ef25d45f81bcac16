import { readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { openEndpoint, readSettings } from "./server/sessions.ts";

/** On 127.0.0.1 browsers allow camera and microphone without TLS, and elsewhere only with it. */
const { HOST = "127.0.0.1", TLS_CERT_FILE, TLS_KEY_FILE } = process.env;
const https =
  TLS_CERT_FILE && TLS_KEY_FILE
    ? { cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE) }
    : undefined;

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [react(), sessions(), serviceUrl()],
  server: { host: HOST, https },
  build: { outDir: isSsrBuild ? "dist/server" : "dist/page" },
}));

/**
 * While you develop, Vite's server is the backend too, and the page uses its Signalbox. Over HTTPS it
 * passes the requests on, because browsers let such a page reach no plain HTTP.
 */
function sessions(): Plugin {
  return {
    name: "sessions",
    apply: "serve",
    config() {
      const { url: target } = readSettings();
      return {
        define: {
          "import.meta.env.VITE_SIGNALBOX_URL": https ? "location.origin" : JSON.stringify(target),
        },
        ...(https && { server: { proxy: { "/graphql": { target, ws: true } } } }),
      };
    },
    configureServer({ middlewares }) {
      middlewares.use("/session", openEndpoint(readSettings()));
    },
  };
}

/** A built page needs the URL at which browsers reach Signalbox: without it, the page could not sign anybody in. */
function serviceUrl(): Plugin {
  return {
    name: "service-url",
    apply: "build",
    configResolved({ build, env }) {
      const url = String(env.VITE_SIGNALBOX_URL);
      if (build.ssr || (/^https?:\/\//.test(url) && URL.canParse(url))) return;
      throw new Error(
        "Set VITE_SIGNALBOX_URL to the URL at which browsers reach Signalbox, such as https://signalbox.example.",
      );
    },
  };
}
