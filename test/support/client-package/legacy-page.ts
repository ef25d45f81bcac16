/**
 * A call client as published applications have it, on strophe.js: it knows only the stanzas. Its functions run in a
 * page, which passes what they need.
 */

/** What {@link openLegacy} needs. */
export interface LegacyAccess {
  url: string;
  jid: string;
  password: string;
  userId: string;
  /** Suffix of the addresses of users: `-{application}@{domain}`. */
  suffix: string;
}

/** The client in the page, as `window.legacy`. */
export interface LegacyClient {
  dial(userId: string): Promise<void>;
  hangUp(): void;
  /** What it has received: types of signals. */
  received: string[];
  peer: RTCPeerConnection | null;
}

interface Stanza {
  c(name: string, attributes?: object, text?: string): Stanza;
  up(): Stanza;
  tree(): Element;
}

/** The page's part; it uses nothing of this module. */
export async function openLegacy(access: LegacyAccess): Promise<void> {
  const page = window as unknown as {
    load(path: string): Promise<Record<string, never>>;
    legacy: LegacyClient;
  };
  const { Strophe, $msg, $pres } = (await page.load(
    "/packages/strophe.js/strophe.esm.js",
    // biome-ignore lint/suspicious/noExplicitAny: the library has no types in a page
  )) as any;
  const connection = new Strophe.Connection(access.url);
  let sessionId = "";
  let other = "";
  let repeat: ReturnType<typeof setInterval> | undefined;
  const held: RTCIceCandidate[] = [];
  let isAnswered = false;

  function send(
    signalType: string,
    more: Record<string, string> = {},
    list?: (at: Stanza) => void,
  ) {
    // Published clients give every repeat the same id.
    const stanza: Stanza = $msg({ to: other, type: "headline", id: `${signalType}-${sessionId}` });
    stanza.c("extraParams", { xmlns: "jabber:client" });
    const fields = {
      moduleIdentifier: "WebRTCVideoChat",
      signalType,
      sessionID: sessionId,
      ...more,
    };
    for (const [name, text] of Object.entries(fields)) stanza.c(name, {}, text);
    list?.(stanza);
    connection.send(stanza.tree());
  }

  function sendCandidates(candidates: RTCIceCandidate[]) {
    if (candidates.length === 0) return;
    send("iceCandidates", {}, (stanza) => {
      stanza.c("iceCandidates");
      for (const each of candidates) {
        stanza.c("iceCandidate");
        stanza.c("sdpMLineIndex", {}, String(each.sdpMLineIndex));
        stanza.c("sdpMid", {}, each.sdpMid ?? "");
        stanza.c("candidate", {}, each.candidate).up();
      }
    });
  }

  async function open(): Promise<RTCPeerConnection> {
    const peer = new RTCPeerConnection();
    client.peer = peer;
    peer.onicecandidate = ({ candidate }) => {
      if (!candidate) return;
      if (isAnswered) sendCandidates([candidate]);
      else held.push(candidate);
    };
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: true });
    for (const track of stream.getTracks()) peer.addTrack(track, stream);
    return peer;
  }

  function answered() {
    isAnswered = true;
    sendCandidates(held.splice(0));
  }

  async function receive(stanza: Element): Promise<void> {
    const read = (name: string) => stanza.querySelector(`extraParams > ${name}`)?.textContent ?? "";
    const type = read("signalType");
    client.received.push(type);
    if (type === "call" && !client.peer) {
      sessionId = read("sessionID");
      other = stanza.getAttribute("from") ?? "";
      const peer = await open();
      await peer.setRemoteDescription({ type: "offer", sdp: read("sdp") });
      const answer = await peer.createAnswer();
      await peer.setLocalDescription(answer);
      send("accept", { sdp: answer.sdp ?? "" });
      answered();
    }
    if (type === "accept" && client.peer) {
      clearInterval(repeat);
      other = stanza.getAttribute("from") ?? "";
      await client.peer.setRemoteDescription({ type: "answer", sdp: read("sdp") });
      answered();
    }
    if (type === "iceCandidates") {
      for (const each of stanza.querySelectorAll("iceCandidate")) {
        const text = (name: string) => each.querySelector(name)?.textContent ?? "";
        await client.peer?.addIceCandidate({
          candidate: text("candidate"),
          sdpMid: text("sdpMid"),
          sdpMLineIndex: Number(text("sdpMLineIndex")),
        });
      }
    }
    if (type === "hangUp" || type === "reject") end();
  }

  function end() {
    clearInterval(repeat);
    for (const { track } of client.peer?.getSenders() ?? []) track?.stop();
    client.peer?.close();
    client.peer = null;
    isAnswered = false;
  }

  const client: LegacyClient = {
    received: [],
    peer: null,
    async dial(userId) {
      sessionId = crypto.randomUUID();
      other = `${userId}${access.suffix}`;
      const peer = await open();
      const offer = await peer.createOffer();
      await peer.setLocalDescription(offer);
      const call = () =>
        send("call", {
          callType: "1",
          sdp: offer.sdp ?? "",
          platform: "web",
          callerID: access.userId,
        });
      call();
      repeat = setInterval(call, 5_000);
    },
    hangUp() {
      send("hangUp");
      end();
    },
  };
  page.legacy = client;
  connection.addHandler(
    (stanza: Element) => {
      void receive(stanza);
      return true;
    },
    null,
    "message",
  );
  await new Promise<void>((resolve, reject) => {
    connection.connect(access.jid, access.password, (status: number) => {
      if (status === Strophe.Status.CONNECTED) resolve();
      if (status === Strophe.Status.AUTHFAIL) reject(new Error("refused"));
    });
  });
  connection.send($pres().tree());
}
