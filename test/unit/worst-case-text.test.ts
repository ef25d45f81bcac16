import type { IncomingMessage } from "node:http";
import { clientAddress, networkOf, unmapIpv4 } from "../../src/core/client-address";
import { Fault } from "../../src/core/errors";
import { toSingleLine } from "../../src/core/html";
import { validateSubscription } from "../../src/domain/push/devices/subscription-fields";
import { readFcmPairs } from "../../src/domain/push/payload/fcm-message";
import { decodeText, readMessage } from "../../src/domain/push/payload/message";
import { sanitizeReason } from "../../src/domain/push/providers/http/response";
import { parseTimeRange } from "../../src/domain/users/lists/legacy-filter";
import { checkUserFields } from "../../src/domain/users/user-fields";
import { readFrame, XmlStreamError } from "../../src/platform/xml/strict-reader";
import { compileBind } from "../../src/transports/rest/bind";
import { readBody } from "../../src/transports/rest/body";
import { readDocuments } from "../../src/transports/rest/documents";
import { nest, readPairs, readQuery } from "../../src/transports/rest/form";
import { readPlain } from "../../src/transports/xmpp/c2s/sasl";
import {
  type SplitterEvents,
  StanzaSplitter,
} from "../../src/transports/xmpp/component/stanza-splitter";
import { isHost, parseJid, toResource } from "../../src/transports/xmpp/stanza/jid";
import { SAMPLED, someOf } from "../support/exhaustive";
import { FILES, sampleSchema } from "../support/rest/rest-sample";

/**
 * Parsers handle worst-case text in linear time. Linear parsers need a few milliseconds for a text of this length,
 * quadratic ones, at a nanosecond a step, half a minute.
 */

const LENGTH = 250_000;
/** Maximum CPU time of a parser for a text, in milliseconds. */
const MAX_MS = 1_000;

const PIECES = [
  ..." \t,;:&=[]{}<>\"'/.@-%a0",
  ..." \n|\r\n|\t\r\n |, |; |a[|[]|a=&|%20|..|::|a@|<a>|<a |<!--|]]>|={|--".split("|"),
  ",number id gt ",
  "number   ",
  "data.a=b&",
  "payload= ",
  "10.0.0.1,",
  "http://",
  "\u00e9",
];

const documents = readDocuments(FILES, sampleSchema());
const legacyList = compileBind(
  documents.find(({ parameters }) => parameters.some(({ binder }) => binder === "LEGACY_FILTER"))!,
);
const nothing = { path: {}, body: undefined, headers: {} };
const findAddress = clientAddress(["10.0.0.0/8"]);
const subscription = {
  channel: "apns",
  environment: "production",
  platform: "ios",
  udid: "u",
} as const;
const events: SplitterEvents = {
  header: () => undefined,
  stanza: () => undefined,
  end: () => undefined,
};
const FORM = "application/x-www-form-urlencoded";

const PARSERS: Record<string, (text: string) => unknown> = {
  "a form": (text) => nest(readPairs(text)),
  "a form's signed parameters": (text) => readBody(FORM, Buffer.from(text)).parameters(),
  "signed JSON names": (text) =>
    readBody(
      "application/json",
      Buffer.from(JSON.stringify({ [text]: { a: 1, b: 2 } })),
    ).parameters(),
  "a Content-Type": (text) => readBody(`application/json;charset${text}`, Buffer.from("{}")),
  "a query": (text) => readQuery(`/users?${text}`),
  "a filter of the legacy list": (text) => legacyList({ ...nothing, query: { filter: [text] } }),
  "the order of the legacy list": (text) => legacyList({ ...nothing, query: { order: text } }),
  "a date of the legacy list": parseTimeRange,
  "X-Forwarded-For": (text) =>
    findAddress({
      socket: { remoteAddress: "10.0.0.1" },
      headers: { "x-forwarded-for": text },
    } as unknown as IncomingMessage),
  "an address": (text) => networkOf(unmapIpv4(text)),
  "a one-line name": (text) => toSingleLine(text),
  "fields of a user": (text) =>
    checkUserFields({ login: text, email: text, fullName: text, phone: text, website: text }),
  "Base64 of a message": decodeText,
  "a universal message": (text) => readMessage(text, null),
  "a platform message": (text) => readMessage(`payload=${text}`, "apns"),
  "message pairs": readFcmPairs,
  "a push token of Apple": (text) => validateSubscription({ ...subscription, token: text }, false),
  "a push token of Firebase": (text) =>
    validateSubscription({ ...subscription, channel: "gcm", token: text }, false),
  "an error of a push service": sanitizeReason,
  "a JID": (text) => [parseJid(text), toResource(text), isHost(text)],
  "SASL PLAIN credentials": (text) => readPlain(text, "chat.example.com"),
  "a stanza": (text) => readFrame(`<a>${text}</a>`, 2 * LENGTH),
  "an attribute of a stanza": (text) => readFrame(`<a b='${text}'/>`, 2 * LENGTH),
  "a component stream": (text) => new StanzaSplitter(2 * LENGTH, events).push(`<s><a>${text}`),
};

/** CPU time that a parser needs to read or refuse a text, in milliseconds. */
function cpuTime(read: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof Fault) && !(error instanceof XmlStreamError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test.each(
  Object.entries(PARSERS).map(([what, read]) => [what, read, someOf(PIECES, 20)] as const),
)(`%s${SAMPLED}`, (_what, read, pieces) => {
  for (const piece of pieces) {
    const text = piece.repeat(Math.ceil(LENGTH / piece.length));
    for (const each of [text, `a${text}\u0001`]) {
      const ms = cpuTime(read, each);
      if (ms > MAX_MS) throw new Error(`${JSON.stringify(piece)} repeated takes ${ms} ms`);
    }
  }
});

test("a quadratic parser exceeds the limit", () => {
  const blanks = " ".repeat(LENGTH / 10);
  const ms = cpuTime((text) => /\s+$/.test(text), `${blanks}a`);
  expect(ms * 10 ** 2).toBeGreaterThan(MAX_MS);
});
