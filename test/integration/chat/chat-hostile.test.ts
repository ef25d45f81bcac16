import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { WebSocket } from "ws";
import { ANY_STANZA } from "../../support/chat/any-stanza";
import {
  auth,
  bind,
  connectRaw,
  OPEN,
  SAMPLED_TRANSPORTS,
  signInRaw,
  startChat,
  type TestChat,
} from "../../support/chat/chat";
import type { RawClient } from "../../support/chat/raw-client";
import { SAMPLED } from "../../support/exhaustive";

const CALL = readFileSync(join(__dirname, "../../../schema/xmpp/call.xml"), "utf8");
const PING = '<iq id="alive" type="get"><ping xmlns="urn:xmpp:ping"/></iq>';

let chat: TestChat;
beforeAll(async () => {
  chat = await startChat({ limits: { failureDelayMs: 0, closeMs: 200 } });
});
afterAll(() => chat.close());

/** Checks that another client is served. */
async function expectAlive(): Promise<void> {
  const other = await signInRaw(chat.url, "44-7", "witness");
  other.send(PING);
  expect(await other.next()).toContain('id="alive"');
  other.socket.terminate();
}

async function opened(url: string): Promise<RawClient> {
  const client = await connectRaw(url);
  client.send(OPEN);
  await client.next();
  await client.next();
  return client;
}

/** The frames that a client received before the response to its ping. */
async function untilAlive(client: RawClient): Promise<string[]> {
  const frames: string[] = [];
  for (;;) {
    const frame = await client.next();
    if (frame.includes('id="alive"')) return frames;
    frames.push(frame);
  }
}

/** Sends raw bytes to the port. Returns the response when the endpoint has closed the connection. */
function bytes(send: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(chat.url).port), "127.0.0.1");
    let got = "";
    socket.on("data", (data) => {
      got += data.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(got));
    socket.on("connect", () => send(socket));
  });
}

describe("the handshake", () => {
  const request = (headers: string[], method = "GET /any/path HTTP/1.1") =>
    `${[method, "Host: chat.example", ...headers].join("\r\n")}\r\n\r\n`;
  const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
  const ask = (text: string) => bytes((socket) => socket.write(text));

  it("requires the sub-protocol xmpp and echoes it", async () => {
    expect(await ask(request([...upgrade, key]))).toMatch(/^HTTP\/1.1 400 /);
    const other = request([...upgrade, key, "Sec-WebSocket-Protocol: mqtt, xmpp2"]);
    expect(await ask(other)).toMatch(/^HTTP\/1.1 400 /);
    const client = new WebSocket(chat.url.replace("/xmpp", "/some/where?x=1"), ["mqtt", "xmpp"]);
    await new Promise((resolve) => client.once("open", resolve));
    expect(client.protocol).toBe("xmpp");
    expect(client.extensions).toBe("");
    client.terminate();
  });

  it.each([
    ["no key", request([...upgrade, "Sec-WebSocket-Protocol: xmpp"]), 400],
    [
      "a bad key",
      request([...upgrade, "Sec-WebSocket-Key: x", "Sec-WebSocket-Protocol: xmpp"]),
      400,
    ],
    ["a POST", request([...upgrade, key, "Sec-WebSocket-Protocol: xmpp"], "POST / HTTP/1.1"), 405],
    ["no upgrade", request(["Connection: close"]), 426],
    ["input that is not HTTP", "\0\x01\x02\xff hello\r\n\r\n", 400],
    ["endless headers", `${request([]).trimEnd()}\r\nX: ${"x".repeat(100_000)}`, 431],
  ])("refuses %s", async (_name, text, status) => {
    expect(await ask(text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await expectAlive();
  });
});

describe.each(SAMPLED_TRANSPORTS)(`over %s${SAMPLED}`, (transport) => {
  const url = () => chat.urls[transport];
  const web = transport === "ws" || transport === "wss";
  /** The error for an unexpected header: over TCP it is the start of an element. */
  const headerInside = web ? "policy-violation" : "not-well-formed";

  describe("before authentication", () => {
    it.each([
      ["a stanza before the header", '<message xmlns="jabber:client"/>', "not-authorized"],
      ["a header of another namespace", '<open xmlns="urn:x" version="1.0"/>', "invalid-namespace"],
      ["a header of a later version", OPEN.replace("1.0", "2.0"), "unsupported-version"],
      ["a header for an invalid host", OPEN.replace("chat.example", "a b"), "host-unknown"],
      ["input that is not XML", "hello", "not-well-formed"],
      ["a DOCTYPE", "<!DOCTYPE a><a/>", "restricted-xml"],
    ])("responds to %s with a header and an error", async (_name, frame, condition) => {
      const client = await connectRaw(url());
      client.send(frame);
      const { frames, code } = await client.rest();
      expect(frames).toHaveLength(3);
      expect(frames[0]).toMatch(/^<open .*from="chat.example" id="[^"]+" version="1.0"/);
      expect(frames[1]).toMatch(new RegExp(`^<stream:error .*><${condition} `));
      expect(frames[2]).toBe('<close xmlns="urn:ietf:params:xml:ns:xmpp-framing" />');
      expect(code).toBe(1000);
    });

    it("accepts any host in the header, and responds from the domain", async () => {
      for (const to of ["127.0.0.1", "chat.other.example", "localhost", "[::1]"]) {
        const client = await connectRaw(url());
        client.send(OPEN.replace("chat.example", to));
        expect(await client.next()).toContain(' from="chat.example"');
        client.socket.terminate();
      }
    });

    it.each([
      ["a message", '<message xmlns="jabber:client" to="43-7@chat.example"/>', "not-authorized"],
      ["an iq", PING, "not-authorized"],
      ["a bind", bind("x"), "not-authorized"],
      ["a second header", OPEN, headerInside],
      ["more than 8,192 bytes", `<auth>${"x".repeat(8_192)}</auth>`, "policy-violation"],
    ])("ends the stream for %s", async (_name, frame, condition) => {
      const client = await opened(url());
      client.send(frame);
      const { frames } = await client.rest();
      expect(frames[0]).toMatch(new RegExp(`^<stream:error .*><${condition} `));
    });

    const SASL = 'xmlns="urn:ietf:params:xml:ns:xmpp-sasl"';
    it.each([
      [
        "another mechanism",
        `<auth ${SASL} mechanism="SCRAM-SHA-1">AAAA</auth>`,
        "invalid-mechanism",
      ],
      ["no mechanism", `<auth ${SASL}>AAAA</auth>`, "invalid-mechanism"],
      [
        "a mechanism in lower case",
        `<auth ${SASL} mechanism="plain">AAAA</auth>`,
        "invalid-mechanism",
      ],
      ["broken base64", `<auth ${SASL} mechanism="PLAIN">A A</auth>`, "incorrect-encoding"],
      ["an empty message", `<auth ${SASL} mechanism="PLAIN">=</auth>`, "malformed-request"],
      ["a response to nothing", `<response ${SASL}>AAAA</response>`, "malformed-request"],
      ["an aborted exchange", `<abort ${SASL}/>`, "aborted"],
      ["another element", `<success ${SASL}/>`, "malformed-request"],
    ])("refuses %s, and lets the client retry", async (_name, frame, condition) => {
      const client = await opened(url());
      client.send(frame);
      expect(await client.next()).toBe(`<failure ${SASL}><${condition}/></failure>`);
      client.send(auth("42-7", "password"));
      expect(await client.next()).toBe(`<success ${SASL}/>`);
      client.socket.terminate();
    });

    it("sends a challenge if there is no initial response", async () => {
      const client = await opened(url());
      client.send(`<auth ${SASL} mechanism="PLAIN"/>`);
      expect(await client.next()).toBe(`<challenge ${SASL}/>`);
      client.send(auth("42-7", "password").replaceAll("auth", "response"));
      expect(await client.next()).toBe(`<success ${SASL}/>`);
      client.socket.terminate();
    });

    it("requires a new header after authentication, and a bind before anything else", async () => {
      for (const frames of [[PING], [bind("x")], [OPEN, PING], [OPEN, "<presence/>"]]) {
        const client = await opened(url());
        client.send(auth("42-7", "password"));
        for (const frame of frames) client.send(frame);
        expect((await client.rest()).frames.join("")).toMatch(
          /<success .*<stream:error [^>]*><not-authorized /,
        );
      }
    });

    it("refuses an invalid resource, and accepts the next one", async () => {
      const client = await opened(url());
      for (const frame of [
        auth("42-7", "password"),
        OPEN,
        bind("&#xA0;\u0085x"),
        bind("é".repeat(600)),
        bind("fine"),
      ]) {
        client.send(frame);
      }
      for (let count = 0; count < 3; count += 1) await client.next();
      for (let count = 0; count < 2; count += 1)
        expect(await client.next()).toContain("<bad-request ");
      expect(await client.next()).toContain("<jid>42-7@chat.example/fine</jid>");
      client.socket.terminate();
    });
  });

  describe("after authentication", () => {
    const nest = (depth: number) => "<a>".repeat(depth) + "</a>".repeat(depth);
    it.each([
      [
        "entities that multiply",
        '<!DOCTYPE l [<!ENTITY a "xx"><!ENTITY b "&a;&a;">]><message>&b;</message>',
        "restricted-xml",
      ],
      ["a comment", "<message><!-- x --></message>", "restricted-xml"],
      ["an instruction", "<message><?x y?></message>", "restricted-xml"],
      ["an unknown entity", "<message>&x;</message>", "not-well-formed"],
      ["a NUL", "<message>\0</message>", "not-well-formed"],
      ["a NUL by reference", "<message>&#0;</message>", "not-well-formed"],
      ["a control character", "<message>\u0001</message>", "not-well-formed"],
      ["U+FFFE", "<message>\ufffe</message>", "not-well-formed"],
      ["U+FFFF in an attribute", '<message id="\uffff"/>', "not-well-formed"],
      ["U+FFFE by reference", "<message>&#xFFFE;</message>", "not-well-formed"],
      ["a lone surrogate by reference", "<message>&#xD800;</message>", "not-well-formed"],
      ["an unbound prefix", "<message><x:y/></message>", "not-well-formed"],
      ["an attribute twice", '<message a="1" a="2"/>', "not-well-formed"],
      ["an incomplete element", '<message to="', "not-well-formed"],
      ["deep nesting", `<message>${nest(10_000)}`.slice(0, 60_000), "policy-violation"],
      ["a new header", OPEN, headerInside],
      ["an element that is not a stanza", '<x xmlns="jabber:client"/>', "unsupported-stanza-type"],
      [
        "an element of another namespace",
        '<enable xmlns="urn:xmpp:sm:0"/>',
        "unsupported-stanza-type",
      ],
      ["a second sign-in", auth("43-7", "password"), "unsupported-stanza-type"],
    ])("ends the stream for %s", async (_name, frame, condition) => {
      const client = await signInRaw(url(), "42-7", "victim");
      client.send(frame);
      client.send(PING);
      const { frames } = await client.rest();
      expect(frames).toHaveLength(2);
      expect(frames[0]).toMatch(new RegExp(`^<stream:error .*><${condition} `));
      expect(frames[1]).toMatch(/^<close /);
    });

    it("accepts a stanza at the size limit, and closes the stream for one more byte", async () => {
      const client = await signInRaw(url(), "42-7", "victim");
      const frame = (size: number) => {
        const empty = '<iq id="big" type="get"><x></x></iq>';
        return empty.replace("</x>", `${"x".repeat(size - empty.length)}</x>`);
      };
      client.send(frame(65_536));
      expect(await client.next()).toContain("<service-unavailable ");
      client.send(frame(65_537));
      const { frames, code } = await client.rest();
      if (web) expect(code).toBe(1009);
      else expect(frames[0]).toContain("<policy-violation ");
      await expectAlive();
    });

    it("cannot send from another address", async () => {
      const bob = await signInRaw(url(), "43-7", "target");
      const mallory = await signInRaw(url(), "44-7", "evil");
      mallory.send(
        CALL.replace(/ from="[^"]*"/, ' from="42-7@chat.example/web"').replace(
          / to="[^"]*"/,
          ' to="43-7@chat.example/target"',
        ),
      );
      const call = await bob.next();
      expect(call).toContain(' from="44-7@chat.example/evil"');
      expect(call).not.toContain("42-7@chat.example");
      // The forged callerID is only content and stays.
      expect(call).toContain("<callerID>42</callerID>");
      mallory.send(
        '<message from="42-7@chat.example/web" to="43-7@chat.example" type="chat"><body>x</body></message>',
      );
      expect(await bob.next()).toContain(' from="44-7@chat.example/evil"');
      mallory.send(
        '<iq from="42-7@chat.example/web" id="i" type="get"><ping xmlns="urn:xmpp:ping"/></iq>',
      );
      expect(await mallory.next()).toContain(' to="44-7@chat.example/evil"');
      bob.socket.terminate();
      mallory.socket.terminate();
    });

    it.each([
      "43-7@chat.example",
      "43-7@chat.example/b",
    ])("isolates applications, whatever is sent to %s", async (to) => {
      const bob = await signInRaw(url(), "43-7", "b");
      const stranger = await signInRaw(url(), "42-8", "a");
      for (const [index, { name, xml }] of ANY_STANZA.entries()) {
        stranger.send(xml(to, `n${index}`));
        stranger.send(PING);
        const [answer = "", more] = await untilAlive(stranger);
        expect(more).toBeUndefined();
        // Presence is ignored, and responses are never answered.
        const condition = /^(presence|iq result|iq error|a message of an error)/.test(name)
          ? ""
          : /^iq|of a room/.test(name)
            ? "service-unavailable"
            : "item-not-found";
        expect([name, /<(service-unavailable|item-not-found) /.exec(answer)?.[1] ?? ""]).toEqual([
          name,
          condition,
        ]);
      }
      bob.send(PING);
      expect(await untilAlive(bob)).toEqual([]);
      for (const client of [bob, stranger]) client.socket.terminate();
    });

    it("delivers only to the addressed user", async () => {
      const [alice, bob, stranger] = [
        await signInRaw(url(), "42-7", "a"),
        await signInRaw(url(), "43-7", "b"),
        await signInRaw(url(), "42-8", "a"),
      ];
      alice.send(
        '<message to="42-8@chat.example/a" type="chat" id="x"><body>secret</body></message>',
      );
      expect(await alice.next()).toContain("<item-not-found ");
      alice.send(
        '<message to="43-7@chat.example/b" type="chat" id="y"><body>for b</body></message>',
      );
      expect(await bob.next()).toContain("for b");
      for (const client of [alice, bob, stranger]) {
        client.send(PING);
        expect(await client.next()).toContain('id="alive"');
        client.socket.terminate();
      }
    });
  });
});

describe("over WebSocket only", () => {
  it("refuses the stream header of RFC 6120", async () => {
    const client = await connectRaw(chat.url);
    client.send(
      '<stream:stream xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams"/>',
    );
    expect((await client.rest()).frames[1]).toContain("<invalid-namespace ");
  });

  it("refuses two elements in one message", async () => {
    const client = await signInRaw(chat.url, "42-7", "victim");
    client.send("<message/><message/>");
    expect((await client.rest()).frames[0]).toContain("<not-well-formed ");
  });

  it("refuses binary messages", async () => {
    const client = await signInRaw(chat.url, "42-7", "victim");
    client.send(Buffer.from(PING));
    expect((await client.rest()).frames[0]).toContain("<not-well-formed ");
  });

  it("closes the connection for invalid UTF-8", async () => {
    const client = await signInRaw(chat.url, "42-7", "victim");
    const mask = Buffer.from([0, 0, 0, 0]);
    const payload = Buffer.concat([
      Buffer.from("<a>"),
      Buffer.from([0xc3, 0x28]),
      Buffer.from("</a>"),
    ]);
    // ws refuses to send invalid UTF-8, so the frame is written by hand.
    const raw = (client.socket as unknown as { _socket: Socket })._socket;
    raw.write(Buffer.concat([Buffer.from([0x81, 0x80 | payload.length]), mask, payload]));
    expect((await client.rest()).code).toBe(1007);
    await expectAlive();
  });
});

describe("random input", () => {
  it("in bytes does not affect other clients", async () => {
    const inputs = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 300 }), 60);
    const head =
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: xmpp\r\n\r\n";
    for (const [index, data] of inputs.entries()) {
      await bytes((socket) => {
        if (index % 2 === 0) socket.write(head);
        socket.end(Buffer.from(data));
      });
    }
    await expectAlive();
  });

  it("in frames does not affect other clients", async () => {
    const edit = fc.tuple(
      fc.nat(CALL.length),
      fc.nat(12),
      fc.string({ unit: "grapheme-composite", maxLength: 4 }),
    );
    const frames = fc.sample(fc.array(edit, { minLength: 1, maxLength: 3 }), 120).map((edits) => {
      let frame = CALL;
      for (const [at, cut, insert] of edits)
        frame = frame.slice(0, at) + insert + frame.slice(at + cut);
      return frame;
    });
    let client = await signInRaw(chat.url, "42-7", "noisy");
    for (const frame of frames) {
      client.send(frame);
      client.send(PING);
      let answer = "";
      try {
        // Responses to the frame itself may come first.
        while (!answer.includes('id="alive"')) answer = await client.next();
      } catch {
        expect(client.received.join("")).toContain("<stream:error ");
        client = await signInRaw(chat.url, "42-7", "noisy");
      }
    }
    client.socket.terminate();
    await expectAlive();
  });
});
