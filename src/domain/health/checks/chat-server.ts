import { connect } from "node:net";
import type { Config } from "../../../core/config";
import { type Finding, failure, ok, warning } from "./finding";

const CHECK = "chat server";
const TIMEOUT_MS = 3_000;

/**
 * Checks that the chat server accepts a component of the configured name (XEP-0114 section 3). It stops
 * before the handshake: ejabberd would treat an authenticated probe as another node and route stanzas to it.
 */
export async function checkChatServer(config: Config): Promise<Finding[]> {
  if (config.CHAT_MODE !== "component") return [];
  const { host, port } = config.CHAT_SERVER;
  const name = config.CHAT_COMPONENT ?? `calls.${config.CHAT_DOMAIN}`;
  const findings: Finding[] = [];
  try {
    const header = await readStreamHeader(host, port, name);
    if (header.includes("<stream:error") || !/\sid=["'][^"']/.test(header)) {
      const fix = "Correct CHAT_COMPONENT, or add the component to the chat server.";
      findings.push(failure(CHECK, `does not accept a component ${name}`, fix));
    } else findings.push(ok(CHECK, `accepts a component ${name} at ${host}:${port}`));
  } catch (error) {
    const fix = "Start the chat server, or correct CHAT_SERVER.";
    const reason = error instanceof Error ? error.message : String(error);
    findings.push(failure(CHECK, `cannot be reached at ${host}:${port}: ${reason}`, fix));
  }
  if (config.CHAT_SIGN_IN_SECRET === undefined) {
    const detail = "cannot verify sign-ins here: CHAT_SIGN_IN_SECRET is not set";
    findings.push(warning(CHECK, detail, "Set it, unless the chat server has its own users."));
  }
  return findings;
}

/** Opens a component stream and returns the server's stream header, with a stream error if one follows. */
function readStreamHeader(host: string, port: number, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, host, () => {
      socket.write(
        `<stream:stream xmlns="jabber:component:accept" xmlns:stream="http://etherx.jabber.org/streams" to="${name}">`,
      );
    });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("it does not answer")));
    socket.once("error", reject);
    socket.once("close", () => resolve(text));
    socket.on("data", (data) => {
      text += data.toString("latin1");
      // A stream error follows right after the header, so wait a moment for it.
      if (!text.split("<stream:stream", 2)[1]?.includes(">") && text.length < 4_096) return;
      setTimeout(() => socket.destroy(), 100);
    });
  });
}
