import { connect } from "node:net";
import type { Config } from "../../core/config";
import { type Finding, ok, skipped, warning, wrong } from "./finding";

const CHECK = "chat server";
const ANSWER_MS = 3_000;

/**
 * Whether the chat server takes components under the configured name (XEP-0114 section 3). No secret is
 * shown: ejabberd would take this for a further node, and send it what is another's.
 */
export async function checkChatServer(config: Config): Promise<Finding[]> {
  if (config.CHAT_MODE !== "component") return [];
  const { host, port } = config.CHAT_SERVER;
  const name = config.CHAT_COMPONENT ?? `calls.${config.CHAT_DOMAIN}`;
  const findings: Finding[] = [];
  try {
    const header = await ask(host, port, name);
    if (header.includes("<stream:error") || !/\sid=["'][^"']/.test(header)) {
      const mend = "Correct CHAT_COMPONENT, or add the component to the chat server.";
      findings.push(wrong(CHECK, `does not take a component ${name}`, mend));
    } else findings.push(ok(CHECK, `takes a component ${name} at ${host}:${port}`));
  } catch (error) {
    const mend = "Start the chat server, or correct CHAT_SERVER.";
    const reason = error instanceof Error ? error.message : String(error);
    findings.push(wrong(CHECK, `cannot be asked at ${host}:${port}: ${reason}`, mend));
  }
  if (config.CHAT_SIGN_IN_SECRET === undefined) {
    const detail = "cannot ask who may sign in: CHAT_SIGN_IN_SECRET is not set";
    findings.push(warning(CHECK, detail, "Set it, unless the chat server knows its users itself."));
  }
  return findings;
}

/** The finding in place of the chat endpoint's port, which nothing listens on. */
export function noChatPort(): Finding {
  return skipped("chat port", "CHAT_MODE is component: the chat server serves chat clients");
}

/** What the server answers to the head of a component's stream, up to the end of its own. */
function ask(host: string, port: number, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, host, () => {
      socket.write(
        `<stream:stream xmlns="jabber:component:accept" xmlns:stream="http://etherx.jabber.org/streams" to="${name}">`,
      );
    });
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error("it does not answer")));
    socket.once("error", reject);
    socket.once("close", () => resolve(text));
    socket.on("data", (data) => {
      text += data.toString("latin1");
      // An error stands in a stream of its own, right behind the head.
      if (!text.split("<stream:stream", 2)[1]?.includes(">") && text.length < 4_096) return;
      setTimeout(() => socket.destroy(), 100);
    });
  });
}
