import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { openSessions } from "@signalbox/client/server";
import type { Plugin } from "vite";

/** What a running Signalbox has written. */
const FILE = process.env.SIGNALBOX_CREDENTIALS ?? "../../.data/credentials.json";

/** Maximum length of a request, in bytes. */
const BODY_MAX = 1_000;

/**
 * What an application's own backend does: it signs sessions, so that auth_secret never reaches the page. Here the
 * development server of Vite does it.
 */
export function sessions(): Plugin {
  let credentials: Record<string, string>;
  return {
    name: "sessions",
    apply: "serve",
    config() {
      credentials = JSON.parse(readFileSync(FILE, "utf8"));
      const url = JSON.stringify(credentials.base_url);
      return { define: { "import.meta.env.VITE_SIGNALBOX_URL": url } };
    },
    configureServer({ middlewares }) {
      const signing = openSessions({
        url: credentials.base_url!,
        applicationId: Number(credentials.application_id),
        authKey: credentials.auth_key!,
        authSecret: credentials.auth_secret!,
        userSecret: `users of ${credentials.auth_secret}`,
      });

      middlewares.use("/session", async (request, response) => {
        try {
          // Your own sign-in belongs here: this one believes every name.
          const { name } = await readJson(request);
          const user = { login: name, fullName: name, tags: ["example"] };
          const { token } = await signing.forUser(user);
          response.setHeader("Content-Type", "application/json");
          response.end(JSON.stringify({ token }));
        } catch (error) {
          response.statusCode = 401;
          response.end(String(error));
        }
      });
    },
  };
}

async function readJson(request: IncomingMessage): Promise<{ name: string }> {
  let text = "";
  for await (const chunk of request) {
    text += chunk;
    if (text.length > BODY_MAX) throw new Error("The request is too long");
  }
  return JSON.parse(text);
}
