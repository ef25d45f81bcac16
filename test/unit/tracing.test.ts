import { setTimeout as wait } from "node:timers/promises";
import { Fault } from "../../src/core/errors";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";
import * as tracing from "../../src/core/tracing";
import {
  decodeContent,
  encodeContent,
  readInboxPage,
} from "../../src/domain/calls/inbox/inbox-log";
import type { FieldSignal } from "../../src/domain/calls/signals/signal";
import { signalToGraphql } from "../../src/domain/calls/signals/signal.type";
import type { Bus } from "../../src/platform/bus/bus";
import { measured } from "../../src/platform/store/measured-store";
import type { Store, Transaction } from "../../src/platform/store/store";
import { encodeSignal } from "../../src/transports/xmpp/stanza/stanza";
import { type RecordedSpans, recordSpans } from "../support/operations/recorded-spans";

/** @own-modules Registers an SDK for all modules of the process. */

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

const SIGNAL: FieldSignal = {
  id: "1",
  from: { applicationId: 1, userId: 2, resource: "phone" },
  to: { applicationId: 1, userId: 3 },
  type: "call",
  callId: "s",
  sdp: "v=0\r\n",
  extra: [],
};

/** Writes a line of the log. @returns its fields */
function logLine(): Record<string, unknown> {
  const lines: string[] = [];
  openLog("info", { write: (line) => void lines.push(line) }).info("written");
  return JSON.parse(lines.join(""));
}

describe("without an SDK", () => {
  beforeAll(() => tracing.openTracing());

  test("everything runs, and nothing has a trace", async () => {
    expect([tracing.isTracingOn(), tracing.isTraced()]).toEqual([false, false]);
    const spans: unknown[] = [];
    const note = (span: unknown) => void spans.push(span);
    tracing.inSpan("a", "internal", {}, note);
    tracing.inServerSpan("a", {}, { traceparent: TRACEPARENT }, note);
    tracing.inConsumerSpan("a", {}, TRACEPARENT, note);
    tracing.withCarriedTrace(TRACEPARENT, () => note(tracing.carriedTrace()));
    expect(spans).toEqual([undefined, undefined, undefined, undefined]);
    const event = {};
    tracing.bindToTrace(event);
    expect(tracing.isBoundToTrace(event)).toBe(false);
    expect(tracing.outsideTrace(() => 1)).toBe(1);
    await tracing.flushTraces();
  });

  test("lines of the log have no ids", () => {
    expect(logLine()).toEqual({ level: 30, time: expect.any(Number), msg: "written" });
  });
});

describe("with an SDK", () => {
  let spans: RecordedSpans;

  beforeAll(() => {
    spans = recordSpans();
    tracing.openTracing();
  });
  beforeEach(() => spans.take());
  afterAll(async () => {
    await spans.close();
    tracing.openTracing();
  });

  /** Runs in the span of a request. */
  const inRequest = <T>(act: () => T, headers: tracing.TraceHeaders = {}) =>
    tracing.inServerSpan("request", {}, headers, act);

  test("a request continues the trace of its headers, also with a later version of them", () => {
    const later = `cc-${TRACE}-${PARENT}-09-what-the-future-adds`;
    for (const traceparent of [TRACEPARENT, later]) {
      inRequest(() => undefined, { traceparent, tracestate: "a=1,b=2" });
      const [span] = spans.take();
      expect(span?.spanContext()).toMatchObject({ traceId: TRACE, traceFlags: 1 });
      expect(span?.parentSpanContext).toMatchObject({ spanId: PARENT, isRemote: true });
      expect(span?.spanContext().traceState?.serialize()).toBe("a=1,b=2");
    }
  });

  test.each<[name: string, traceparent: unknown]>([
    ["absent", undefined],
    ["empty", ""],
    ["no text", 5],
    ["a list", [TRACEPARENT]],
    ["an object", { toString: () => TRACEPARENT }],
    ["sent twice", `${TRACEPARENT}, ${TRACEPARENT}`],
    ["too short", TRACEPARENT.slice(0, -1)],
    ["too long", `${TRACEPARENT}0`],
    ["with more fields than version 00 has", `${TRACEPARENT}-00`],
    ["of the forbidden version", `ff-${TRACE}-${PARENT}-01`],
    ["of trace 0", `00-${"0".repeat(32)}-${PARENT}-01`],
    ["of span 0", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["in capitals", TRACEPARENT.toUpperCase()],
    ["with a line feed", `${TRACEPARENT}\n`],
    ["beyond any length", `01-${TRACE}-${PARENT}-01-${"a".repeat(1_000_000)}`],
  ])("a traceparent that is %s begins a trace of its own", (_name, traceparent) => {
    inRequest(() => undefined, { traceparent });
    const [span] = spans.take();
    expect(span?.parentSpanContext).toBeUndefined();
    expect(span?.spanContext().traceId).not.toBe(TRACE);
  });

  test.each([
    ["too long", `a=${"1".repeat(511)}`],
    ["no text", ["a=1"]],
    ["invalid", "A=1,=,\u0000"],
  ])("a tracestate that is %s is dropped, and the parent is not", (_name, tracestate) => {
    inRequest(() => undefined, { traceparent: TRACEPARENT, tracestate });
    const [span] = spans.take();
    expect(span?.spanContext().traceId).toBe(TRACE);
    expect(span?.spanContext().traceState?.serialize() ?? "").toBe("");
  });

  test("a message carries its sender's span to the receiver", () => {
    const carried = inRequest(tracing.carriedTrace, {
      traceparent: TRACEPARENT,
      tracestate: "a=1",
    });
    const [sender] = spans.take();
    expect(carried).toBe(`00-${TRACE}-${sender?.spanContext().spanId}-01 a=1`);
    const answer = tracing.inConsumerSpan("process", {}, carried, tracing.carriedTrace);
    const [receiver] = spans.take();
    expect(receiver?.parentSpanContext?.spanId).toBe(sender?.spanContext().spanId);
    expect(answer).toBe(`00-${TRACE}-${receiver?.spanContext().spanId}-01 a=1`);
    expect(tracing.withCarriedTrace(carried, tracing.carriedTrace)).toBe(carried);
  });

  test("a span fails with the code of an error, and without its message", async () => {
    const fail = (error: unknown) => () => {
      throw error;
    };
    const later = (error: unknown) => () => Promise.reject(error);
    const client = new Fault("NOT_FOUND", "no user Ann");
    const own = new TypeError("cannot read Ann");
    expect(() => inRequest(fail(client))).toThrow(client);
    await expect(inRequest(later(own))).rejects.toBe(own);
    const [refused, broken] = spans.take();
    expect(refused).toMatchObject({
      attributes: { "error.type": "NOT_FOUND" },
      status: { code: 0 },
    });
    expect(broken).toMatchObject({
      attributes: { "error.type": "TypeError" },
      status: { code: 2 },
    });
    expect([refused?.events, broken?.events, broken?.status.message]).toEqual([[], [], undefined]);
  });

  test("what begins in a span and outlives it is no part of the trace", async () => {
    let late: Promise<unknown> | undefined;
    inRequest(() => {
      late = wait(1).then(() => {
        tracing.inSpan("late", "internal", {}, () => undefined);
        return [tracing.isTraced(), tracing.carriedTrace(), tracing.traceIds()];
      });
    });
    expect(await late).toEqual([false, undefined, {}]);
    expect(spans.take().map(({ name }) => name)).toEqual(["request"]);
  });

  test("what works for others is no part of the trace", () => {
    inRequest(() => tracing.outsideTrace(() => expect(tracing.isTraced()).toBe(false)));
  });

  test("a value that another task processes continues the trace in which it was made", () => {
    const event = {};
    inRequest(() => tracing.bindToTrace(event), { traceparent: TRACEPARENT });
    spans.take();
    expect(tracing.isBoundToTrace(event)).toBe(true);
    tracing.inSpanOf(event, "event", "server", {}, () => undefined);
    expect(spans.take()[0]?.spanContext().traceId).toBe(TRACE);
    for (const value of [{}, "text", null, undefined]) {
      tracing.bindToTrace(value);
      expect(tracing.isBoundToTrace(value)).toBe(false);
    }
  });

  test("lines of the log have the ids of their span", () => {
    const line = inRequest(logLine, { traceparent: TRACEPARENT });
    const [span] = spans.take();
    expect(line).toMatchObject({ trace_id: TRACE, span_id: span?.spanContext().spanId });
    expect(logLine()).not.toHaveProperty("trace_id");
  });

  test("statements have spans with their names, also in transactions, and without their texts", async () => {
    const open = { query: async () => [], execute: async () => ({ rows: [] }) };
    const store = measured(
      {
        ...open,
        connections: () => null,
        transaction: (act: (transaction: Transaction) => unknown) => act(open as never),
      } as unknown as Store,
      openMetrics(),
    );
    const run = async () => {
      await store.query({ name: "find_it", text: "SELECT secret" }, ["secret"]);
      await store.execute("SELECT secret");
      await store.transaction(async ({ query }) => query({ name: "in_it", text: "SELECT 1" }, []));
    };
    await run();
    expect(spans.take()).toEqual([]);
    await inRequest(run);
    const recorded = spans.take();
    expect(recorded.map(({ name }) => name)).toEqual([
      "find_it",
      "library statement",
      "in_it",
      "transaction",
      "request",
    ]);
    expect(recorded[0]?.attributes).toEqual({
      "db.system.name": "postgresql",
      "db.query.summary": "find_it",
    });
    const transaction = recorded[3]?.spanContext().spanId;
    expect(recorded[2]?.parentSpanContext?.spanId).toBe(transaction);
    expect(JSON.stringify(recorded.map(({ attributes }) => attributes))).not.toContain("secret");
  });
});

describe("with an SDK that samples nothing", () => {
  let spans: RecordedSpans;

  beforeAll(() => {
    spans = recordSpans(0);
    tracing.openTracing();
  });
  afterAll(async () => {
    await spans.close();
    tracing.openTracing();
  });

  test("requests and what they cause have neither spans nor a trace to carry", () => {
    const unsampled = { traceparent: `00-${TRACE}-${PARENT}-00` };
    for (const headers of [{}, unsampled]) {
      tracing.inServerSpan("request", {}, headers, (span) => {
        expect(span).toBeUndefined();
        expect([tracing.isTraced(), tracing.carriedTrace()]).toEqual([false, undefined]);
      });
    }
    expect(tracing.inConsumerSpan("process", {}, undefined, tracing.carriedTrace)).toBeUndefined();
    expect(logLine()).not.toHaveProperty("trace_id");
    expect(spans.take()).toEqual([]);
  });

  test("a client that sets the flag has its trace sampled, by the parent-based sampler", () => {
    tracing.inServerSpan("request", {}, { traceparent: TRACEPARENT }, () => undefined);
    expect(spans.take()).toHaveLength(1);
  });
});

describe("an entry of an inbox", () => {
  const bus = (body: string) =>
    ({ read: async () => ({ entries: [{ cursor: "1", body }], more: false }) }) as unknown as Bus;
  const stanza = {
    ...SIGNAL,
    sdp: undefined,
    extra: undefined,
    stanza: { params: { name: "extraParams", children: [{ name: "sdp", text: "v=0\r\n" }] } },
  };
  const answer = {
    kind: "answer",
    callId: "s",
    answerType: "accept",
    device: "phone",
    peer: SIGNAL.to,
  } as const;

  test("has the same bytes as ever without a trace", () => {
    expect(encodeContent(SIGNAL)).toBe(
      '{"id":"1","from":{"applicationId":1,"userId":2,"resource":"phone"},"to":{"applicationId":1,"userId":3},"type":"call","callId":"s","extra":[]}\nv=0\r\n',
    );
    expect(encodeContent(stanza as never)).toBe(
      '{"id":"1","from":{"applicationId":1,"userId":2,"resource":"phone"},"to":{"applicationId":1,"userId":3},"type":"call","callId":"s","stanza":{"params":{"name":"extraParams","children":[{"name":"sdp","text":""}]}}}\nv=0\r\n',
    );
    expect(encodeContent(answer)).toBe(JSON.stringify(answer));
  });

  test.each([
    ["of fields", SIGNAL],
    ["of elements", stanza as never],
    ["that is an answer", answer],
  ])("%s carries the trace beside its content", async (_name, content) => {
    const carried = `${TRACEPARENT} a=1`;
    const page = await readInboxPage(bus(encodeContent(content, carried)), "inbox", "");
    const plain = decodeContent(encodeContent(content));
    expect(page.entries).toEqual([{ cursor: "1", content: plain, trace: carried }]);
  });

  test("of a later version reaches clients of an earlier one without its trace", () => {
    const traced = decodeContent(encodeContent(SIGNAL, TRACEPARENT)) as FieldSignal;
    expect(traced).toHaveProperty("trace");
    expect(encodeSignal(traced, "chat.example")).toBe(encodeSignal(SIGNAL, "chat.example"));
    expect(JSON.stringify(signalToGraphql("1", traced))).not.toContain(TRACE);
  });
});
