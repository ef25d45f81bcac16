import { once } from "node:events";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import fc from "fast-check";
import type { LiveCertificate } from "../../../src/core/tls/certificate";
import { parseCertificate } from "../../../src/core/tls/pem";
import { generateSelfSigned } from "../../../src/core/tls/self-signed";
import { auth, OPEN, signInRaw, startChat, type TestChat } from "../../support/chat/chat";
import { connectClear, readUntil, toTcp, upgrade } from "../../support/chat/chat-tcp";
import { testCertificate, trustOptions } from "../../support/operations/certificates";
import { usedHeap } from "../../support/operations/heap";

/** TLS of the chat endpoint: STARTTLS, versions, certificates and invalid input before and inside it. */

const STARTTLS = '<starttls xmlns="urn:ietf:params:xml:ns:xmpp-tls"/>';
const HEADER = toTcp(OPEN);
const PING = '<iq id="alive" type="get"><ping xmlns="urn:xmpp:ping"/></iq>';

let chat: TestChat;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  chat = await startChat({ limits: { closeMs: 100 } });
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(() => chat.close());

async function own(options: Parameters<typeof startChat>[0]): Promise<TestChat> {
  const started = await startChat(options);
  closers.push(() => started.close());
  return started;
}

const addressOf = (url: string) => ({ host: "127.0.0.1", port: Number(new URL(url).port) });

/** Everything received until the endpoint closes the connection. */
async function rest(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  if (!socket.closed) await once(socket, "close");
  return text;
}

async function expectAlive(): Promise<void> {
  for (const url of Object.values(chat.urls)) {
    const other = await signInRaw(url, "44-7", "witness");
    other.send(PING);
    expect(await other.next()).toContain('id="alive"');
    other.socket.terminate();
  }
}

/** Opens a stream on the STARTTLS port and reads its features. */
async function opened(): Promise<{ socket: Socket; features: string }> {
  const socket = await connectClear(chat.urls.tcp);
  closers.push(() => socket.destroy());
  socket.write(HEADER);
  return { socket, features: await readUntil(socket, "</stream:features>") };
}

describe("STARTTLS", () => {
  it("is the only feature without TLS, and required", async () => {
    const { features } = await opened();
    expect(features).toMatch(
      /^<\?xml version="1\.0"\?><stream:stream [^>]*from="chat.example" id="[^"]+" version="1.0"[^>]*><stream:features [^>]*><starttls xmlns="urn:ietf:params:xml:ns:xmpp-tls"><required\/><\/starttls><\/stream:features>$/,
    );
  });

  it("is required before a password is checked", async () => {
    const before = chat.attempts.length;
    const { socket } = await opened();
    socket.write(auth("42-7", "password"));
    expect(await readUntil(socket, "</failure>")).toContain("<encryption-required/>");
    expect(chat.attempts).toHaveLength(before);
  });

  it.each([
    ["a stanza", "<message xmlns='jabber:client'/>"],
    ["a bind", '<iq type="set" id="b"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"/></iq>'],
    ["another element of its namespace", '<proceed xmlns="urn:ietf:params:xml:ns:xmpp-tls"/>'],
  ])("is required before %s", async (_name, text) => {
    const { socket } = await opened();
    socket.write(text);
    expect(await rest(socket)).toMatch(/<stream:error [^>]*><not-authorized .*<\/stream:stream>$/);
  });

  it("is followed by a new stream with a new id, which accepts the password", async () => {
    const { socket, features } = await opened();
    socket.write(STARTTLS);
    await readUntil(socket, "<proceed ");
    const secure = await upgrade(socket);
    secure.write(HEADER);
    const inside = await readUntil(secure, "</stream:features>");
    expect(inside).toContain("<mechanism>PLAIN</mechanism>");
    expect(inside).not.toContain("<starttls");
    const idOf = (text: string) => / id="([^"]+)"/.exec(text)?.[1];
    expect(idOf(inside)).not.toBe(idOf(features));
    secure.write(STARTTLS);
    expect(await rest(secure)).toContain("<not-authorized ");
  });

  it.each([
    ["in the same packet", ""],
    ["with a stream header", HEADER],
  ])("discards unencrypted input after it, %s", async (_name, header) => {
    const before = chat.attempts.length;
    const { socket } = await opened();
    socket.write(`${STARTTLS}${header}${auth("42-7", "password")}${HEADER}<iq`);
    await readUntil(socket, "<proceed ");
    const secure = await upgrade(socket);
    secure.write(HEADER);
    const inside = await readUntil(secure, "</stream:features>");
    expect(inside).toMatch(/^<\?xml [^>]*><stream:stream [^>]*><stream:features /);
    expect(inside).toContain("<mechanism>PLAIN</mechanism>");
    secure.write(auth("43-7", "password"));
    await readUntil(secure, "<success ");
    expect(chat.attempts.slice(before)).toMatchObject([{ userId: 43 }]);
  });

  it("discards unencrypted input queued after it", async () => {
    let answer = () => {};
    const slow = await own({
      authenticate: async () => {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return { sessionId: null, confirm: async () => undefined };
      },
    });
    const socket = await connectClear(slow.urls.tcp);
    closers.push(() => socket.destroy());
    socket.write(HEADER);
    await readUntil(socket, "</stream:features>");
    socket.write(STARTTLS);
    // One per tick, so that they arrive in separate packets, before or during the handshake.
    for (let count = 0; count < 20; count += 1) {
      socket.write(auth("42-7", "password"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await rest(socket);
    answer();
    expect(slow.attempts).toEqual([]);
  });

  it("closes the connection of a client whose TLS handshake fails", async () => {
    for (const garbage of [Buffer.from("GET / HTTP/1.1\r\n\r\n"), Buffer.alloc(300, 0x16)]) {
      const { socket } = await opened();
      socket.write(STARTTLS);
      await readUntil(socket, "<proceed ");
      socket.write(garbage);
      expect(await rest(socket)).not.toContain("<");
    }
    await expectAlive();
  });
});

/** Connects with direct TLS. */
async function secureTo(url: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ ...addressOf(url), ...(await trustOptions()), ...options });
  closers.push(() => socket.destroy());
  await once(socket, "secureConnect");
  return socket;
}

describe("TLS", () => {
  it.each(["tls", "wss"] as const)("is 1.2 or later: %s", async (way) => {
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const options = { minVersion: version, maxVersion: version };
      expect((await secureTo(chat.urls[way], options)).getProtocol()).toBe(version);
    }
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL@SECLEVEL=0" } as const;
    await expect(secureTo(chat.urls[way], old)).rejects.toThrow(/alert|version|protocol/i);
  });

  it("is 1.2 or later: after STARTTLS", async () => {
    const { socket } = await opened();
    socket.write(STARTTLS);
    await readUntil(socket, "<proceed ");
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL@SECLEVEL=0" } as const;
    const secure = connectTls({ socket, ...(await trustOptions()), ...old });
    await expect(once(secure, "secureConnect")).rejects.toThrow(/alert|version|protocol/i);
  });

  it("is not renegotiated", async () => {
    const socket = await secureTo(chat.urls.tls, { maxVersion: "TLSv1.2" });
    socket.on("error", () => {});
    const again = new Promise((resolve) => {
      socket.renegotiate({}, resolve);
      socket.once("close", () => resolve(new Error("closed")));
    });
    expect(await again).toBeInstanceOf(Error);
    await expectAlive();
  });

  it("negotiates only xmpp-client by ALPN (XEP-0368)", async () => {
    const asked = await secureTo(chat.urls.tls, { ALPNProtocols: ["http/1.1", "xmpp-client"] });
    expect(asked.alpnProtocol).toBe("xmpp-client");
    expect((await secureTo(chat.urls.tls)).alpnProtocol).toBe(false);
    await expect(secureTo(chat.urls.tls, { ALPNProtocols: ["http/1.1"] })).rejects.toThrow(
      /no application protocol/,
    );
  });

  it("accepts passwords beyond loopback, which plain WebSocket does not", async () => {
    const open = await own({ config: { HOST: "0.0.0.0" } });
    for (const way of ["wss", "tcp", "tls"] as const) {
      (await signInRaw(open.urls[way], "42-7", way)).socket.terminate();
    }
    await expect(signInRaw(open.urls.ws, "42-7", "ws")).rejects.toThrow(/encryption-required/);
  });

  it("has a handshake timeout", async () => {
    const brief = await own({ limits: { negotiationMs: 100, closeMs: 20 } });
    const sockets = (["tls", "wss"] as const).map((way) =>
      connectSocket(addressOf(brief.urls[way])),
    );
    await Promise.all(sockets.map(rest));
    const { socket } = { socket: await connectClear(brief.urls.tcp) };
    socket.write(`${HEADER}${STARTTLS}`);
    await rest(socket);
    expect((await brief.metrics.sockets.get()).values).toMatchObject([{ value: 0 }]);
  });

  it("does not keep the endpoint open during a handshake", async () => {
    const brief = await own({ limits: { closeMs: 50 } });
    const sockets = (["tls", "wss", "tcp"] as const).map((way) =>
      connectSocket(addressOf(brief.urls[way])),
    );
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    const gone = Promise.all(sockets.map(rest));
    await brief.close();
    closers.pop();
    await gone;
  });

  it("uses a renewed certificate for new connections; open streams continue", async () => {
    const first = (await testCertificate()).current;
    const made = await generateSelfSigned("chat.example", Date.now());
    const second = parseCertificate(made.cert, made.key);
    let now = first;
    const listeners: (() => void)[] = [];
    const certificate: LiveCertificate = {
      get context() {
        return parseCertificate(now.cert, now.key).context;
      },
      get current() {
        return now;
      },
      onChange: (listener) => void listeners.push(listener),
      reload: async () => undefined,
      close() {},
    };
    const changing = await own({ certificate });
    const old = await Promise.all(
      (["wss", "tcp", "tls"] as const).map((way) => signInRaw(changing.urls[way], "42-7", way)),
    );
    now = second;
    for (const listener of listeners) listener();
    for (const url of [changing.urls.tls, changing.urls.wss]) {
      const socket = await secureTo(url, { ca: second.cert });
      expect(socket.getPeerX509Certificate()?.fingerprint256).toBe(second.x509.fingerprint256);
      await expect(secureTo(url, { ca: first.cert })).rejects.toThrow(/self-signed/);
    }
    const clear = await connectClear(changing.urls.tcp);
    closers.push(() => clear.destroy());
    clear.write(`${HEADER}${STARTTLS}`);
    await readUntil(clear, "<proceed ");
    const secure = connectTls({ socket: clear, ca: second.cert, servername: "chat.example" });
    await once(secure, "secureConnect");
    for (const client of old) {
      client.send(PING);
      expect(await client.next()).toContain('id="alive"');
      client.socket.terminate();
    }
  });
});

describe("a forged record", () => {
  /** A record of application data with a valid header and content that is not encrypted. */
  const record = (length: number) => {
    const head = Buffer.from([0x17, 0x03, 0x03, length >> 8, length & 0xff]);
    return Buffer.concat([head, Buffer.alloc(length, 0x5a)]);
  };

  it.each([
    ["tls", "TLSv1.3"],
    ["tls", "TLSv1.2"],
    ["tcp", "TLSv1.3"],
    ["tcp", "TLSv1.2"],
  ] as const)("ends the stream immediately: %s, %s", async (way, version) => {
    const lenient = await own({ limits: { negotiationMs: 600_000, closeMs: 600_000 } });
    const raw = await connectClear(lenient.urls[way]);
    closers.push(() => raw.destroy());
    if (way === "tcp") {
      raw.write(`${HEADER}${STARTTLS}`);
      await readUntil(raw, "<proceed ");
    }
    const options = { ...(await trustOptions()), minVersion: version, maxVersion: version };
    const secure = connectTls({ socket: raw, ...options });
    secure.on("error", () => {});
    await once(secure, "secureConnect");
    secure.write(HEADER);
    await readUntil(secure, "</stream:features>");
    const gone = new Promise((resolve) => secure.once("close", resolve));
    raw.write(record(64));
    for (let count = 0; count < 100 && !raw.destroyed; count += 1) raw.write(record(16_384));
    await gone;
    const count = async () => (await lenient.metrics.sockets.get()).values[0]?.value;
    while ((await count()) !== 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});

describe("ports", () => {
  it("that are switched off are not opened", async () => {
    const off = { XMPP_WS_PORT: null, XMPP_TCP_PORT: null, XMPP_WSS_PORT: null };
    const { urls } = await own({ config: off });
    expect(Object.keys(urls)).toEqual(["tls"]);
  });

  it("in use fail the start with their variable, and leave nothing open", async () => {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closers.push(() => server.close());
    const { port } = server.address() as { port: number };
    for (const variable of ["XMPP_WS_PORT", "XMPP_WSS_PORT", "XMPP_TCP_PORT", "XMPP_TLS_PORT"]) {
      await expect(own({ config: { [variable]: port } })).rejects.toMatchObject({
        code: "EADDRINUSE",
        message: `The chat endpoint cannot listen: port ${port} on 127.0.0.1 is in use by another program. Set ${variable} to another port, or to off.`,
      });
    }
  });
});

describe("random input", () => {
  const samples = () => fc.sample(fc.uint8Array({ minLength: 1, maxLength: 600 }), 60);

  it.each([
    "tcp",
    "tls",
    "wss",
  ] as const)("in bytes does not affect other clients: %s", async (way) => {
    for (const data of samples()) {
      const socket = connectSocket(addressOf(chat.urls[way]));
      socket.on("error", () => {});
      socket.end(Buffer.from(data));
      await rest(socket);
    }
    await expectAlive();
  });

  it("after a header, with and without TLS, does not affect other clients", async () => {
    for (const [index, data] of samples().entries()) {
      const socket =
        index % 2 === 0 ? await connectClear(chat.urls.tcp) : await secureTo(chat.urls.tls);
      socket.on("error", () => {});
      socket.write(HEADER);
      socket.end(Buffer.from(data));
      await rest(socket);
    }
    await expectAlive();
  });

  it("does not leak memory", async () => {
    const endless = Buffer.from(`${HEADER}<message a="${"x".repeat(30_000)}`);
    const round = async () => {
      for (let count = 0; count < 150; count += 1) {
        const socket =
          count % 2 === 0 ? await connectClear(chat.urls.tcp) : await secureTo(chat.urls.tls);
        socket.on("error", () => {});
        socket.write(endless);
        expect(await rest(socket)).toMatch(/<policy-violation .*<\/stream:stream>$/);
      }
      closers.length = 0;
    };
    await round();
    const before = usedHeap();
    for (let count = 0; count < 3; count += 1) await round();
    expect(usedHeap() - before).toBeLessThan(3_000_000);
  });

  it("leaves no stream open", async () => {
    const count = async () => (await chat.metrics.sockets.get()).values[0]?.value;
    while ((await count()) !== 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});
