import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { PRINTED_FILES } from "../printed-code";

/** A web server of the browser modules that docs/SIGNALING.md prints. */
export interface GuideServer {
  url: string;
  close(): Promise<void>;
}

const PACKAGE = dirname(require.resolve("graphql-ws"));
/** The page of an application: it calls by `dial`, answers by `answer`, and joins a conference by `meet`. */
const PAGE = `<!doctype html>
<link rel="icon" href="data:,">
<script type="importmap">{"imports": {"graphql-ws": "/graphql-ws/client.js"}}</script>
<script type="module">
  import { callSignals } from "./call-signals.js";
  import { startCall } from "./caller.js";
  import { joinConference } from "./conference.js";
  import { finishRestart, restartIce } from "./ice-restart.js";
  import { runPhone } from "./main.js";

  const onStream = (stream) => { window.remoteStream = stream; };

  window.answer = (session, accepts) => {
    runPhone(session, session.url.replace("http", "ws"), { confirmCall: async () => accepts, onStream });
  };
  window.dial = async (session, userId) => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: true });
    const onEnd = (reason) => { window.endReason = reason; };
    const call = await startCall(session, userId, stream, { onStream, onEnd });
    window.hangUp = call.hangUp;
    window.restart = () => restartIce(session, call.peer);
    for await (const signal of callSignals(session.url.replace("http", "ws"), async () => session.token)) {
      if (signal?.signalType === "iceRestartAccept") await finishRestart(call.peer, signal);
      else if (signal) await call.take(signal);
    }
  };
  window.meet = async (session, conferenceId, off) => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: true });
    for (const track of stream.getTracks()) track.enabled = track.kind !== off;
    window.conference = await joinConference(session, conferenceId, stream, {
      onParticipants: (participants) => { window.participants = [...participants.values()]; },
      onMedia: (media) => {
        window.media = media;
        document.body.replaceChildren(...[...media.values()].map((each) => {
          const video = document.createElement("video");
          return Object.assign(video, { srcObject: each, autoplay: true, muted: true });
        }));
      },
      onEnd: (reason) => { window.endReason = reason; },
    });
  };
  window.isReady = true;
</script>`;

/** main.js with the change that the document prints for ICE restarts. */
function mainWithRestart(): string {
  const main = PRINTED_FILES.get("main.js") ?? "";
  const change = PRINTED_FILES.get("main.js, in place") ?? "";
  const line = /^ {2}if \(current\?\.callId === callId\).*$/m;
  if (change === "" || !line.test(main)) throw new Error("the document does not print the change");
  const names = 'import { acceptRestart, finishRestart } from "./ice-restart.js";\n';
  return names + main.replace(line, () => change);
}

/** Serves the modules, with a page that uses them, on the loopback address. */
export async function serveGuide(): Promise<GuideServer> {
  async function read(path: string): Promise<string> {
    if (path === "/") return PAGE;
    if (path === "/main.js") return mainWithRestart();
    const [, packaged] = /^\/graphql-ws\/([\w.-]+\.js)$/.exec(path) ?? [];
    if (packaged) return readFile(join(PACKAGE, packaged), "utf8");
    const code = PRINTED_FILES.get(path.slice(1));
    if (code === undefined) throw new Error(`no file ${path}`);
    return code;
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    read(pathname).then(
      (content) => {
        const type = pathname === "/" ? "text/html" : "text/javascript";
        response.writeHead(200, { "Content-Type": `${type}; charset=utf-8` }).end(content);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
