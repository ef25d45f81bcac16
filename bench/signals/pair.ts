import { setTimeout as wait } from "node:timers/promises";
import type { Account, ExchangeJob } from "./job";
import type { Client } from "./signal-client";
import type { SignalType } from "./signal-text";

/** Maximum number of probe signals before the window. */
const PROBES = 20;
const PROBE_INTERVAL_MS = 100;
/** Timeout for a signal in flight after the window, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** Rounds of two signals in a call; about as many signals as a browser's call with its candidates. */
const ROUNDS = 10;
/** The first sessionID; clients derive them from the time. */
const FIRST_SESSION = 1_605_784_922_547;

interface Side {
  client: Client;
  account: Account;
}

/** Two users who exchange signals, with one signal in flight. */
export class Pair {
  private readonly send: Record<SignalType, (callId: string) => void>;
  private round = 0;
  private times: number[] = [];
  private sentAt = 0;
  private running = false;
  private inFlight = false;

  constructor(
    private readonly caller: Side,
    private readonly callee: Side,
    private readonly ways: ExchangeJob["ways"],
  ) {
    this.send = {
      call: caller.client.sender("call", callee.account),
      iceRestart: caller.client.sender("iceRestart", callee.account),
      accept: callee.client.sender("accept", caller.account),
      iceRestartAccept: callee.client.sender("iceRestartAccept", caller.account),
    };
  }

  /** Resolves once both receive each other's signals and none is in flight. */
  async connect(): Promise<void> {
    await this.probe(this.callee, () => this.sendRequest());
    await this.probe(this.caller, () => this.sendAnswer());
  }

  /** Starts sending continuously. */
  start(): void {
    const next = () => {
      this.times.push(performance.now() - this.sentAt);
      this.inFlight = false;
      if (this.running) this.next();
    };
    this.caller.client.onSignal = this.ways === "both" ? next : () => undefined;
    this.callee.client.onSignal = this.ways === "both" ? () => this.sendAnswer() : next;
    this.running = true;
    this.next();
  }

  /** Stops sending. @returns the latencies measured so far, in milliseconds */
  stop(): number[] {
    this.running = false;
    const { times } = this;
    this.times = [];
    return times;
  }

  /** Waits for the signal in flight. @throws Error if it does not arrive */
  async whenDelivered(): Promise<void> {
    const end = performance.now() + TIMEOUT_MS;
    while (this.inFlight && performance.now() < end) await wait(5);
    const failure = this.caller.client.failure ?? this.callee.client.failure;
    if (failure) throw failure;
    if (this.inFlight) throw new Error("a signal was lost");
  }

  private next(): void {
    this.round++;
    this.sentAt = performance.now();
    this.inFlight = true;
    this.sendRequest();
  }

  private sendRequest(): void {
    this.send[this.round % ROUNDS === 0 ? "call" : "iceRestart"](this.callId());
  }

  private sendAnswer(): void {
    this.send[this.round % ROUNDS === 0 ? "accept" : "iceRestartAccept"](this.callId());
  }

  /** The current sessionID, unique among the pairs. */
  private callId(): string {
    const call = Math.floor(this.round / ROUNDS);
    return String(FIRST_SESSION + this.caller.account.userId * 1_000_000 + call);
  }

  /** Sends probes until the side receives one. @throws Error if none arrives */
  private async probe(side: Side, send: () => void): Promise<void> {
    let sent = 0;
    let received = 0;
    side.client.onSignal = () => {
      received++;
    };
    while (received === 0 && sent < PROBES) {
      send();
      sent++;
      await wait(PROBE_INTERVAL_MS);
    }
    const failure = this.caller.client.failure ?? this.callee.client.failure;
    if (failure) throw failure;
    if (received === 0) throw new Error("no probe signal arrived");
  }
}
