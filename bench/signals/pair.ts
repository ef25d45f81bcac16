import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "./client";
import type { Account, TalkJob } from "./job";
import type { SignalType } from "./signal-text";

/** Signals that try to get through before the window, at most, and the time between them. */
const PROBES = 20;
const PROBE_MS = 100;
/** Milliseconds for what is still under way after the window. */
const PATIENCE_MS = 5_000;

/** Rounds of a call: with two signals each, about what a browser's candidates make of one. */
const ROUNDS = 10;
/** The sessionID that a client begins with, as they make them of the time. */
const FIRST_SESSION = 1_605_784_922_547;

interface Side {
  client: Client;
  account: Account;
}

/** Two who send each other signals, one at a time. */
export class Pair {
  private readonly send: Record<SignalType, (sessionId: string) => void>;
  private round = 0;
  private times: number[] = [];
  private sentAt = 0;
  private going = false;
  private underWay = false;

  constructor(
    private readonly caller: Side,
    private readonly callee: Side,
    private readonly ways: TalkJob["ways"],
  ) {
    const [asks, answers] = [caller.client, callee.client];
    this.send = {
      call: asks.sender("call", callee.account),
      iceRestart: asks.sender("iceRestart", callee.account),
      accept: answers.sender("accept", caller.account),
      iceRestartAccept: answers.sender("iceRestartAccept", caller.account),
    };
  }

  /** Resolves once both hear each other, and nothing is under way. */
  async meet(): Promise<void> {
    await this.reach(this.callee, () => this.ask());
    await this.reach(this.caller, () => this.answer());
  }

  /** Sends, and goes on sending. */
  begin(): void {
    const next = () => {
      this.times.push(performance.now() - this.sentAt);
      this.underWay = false;
      if (this.going) this.next();
    };
    this.caller.client.onSignal = this.ways === "both" ? next : () => undefined;
    this.callee.client.onSignal = this.ways === "both" ? () => this.answer() : next;
    this.going = true;
    this.next();
  }

  /** Sends no more; answers the milliseconds of all that came through until now. */
  end(): number[] {
    this.going = false;
    const { times } = this;
    this.times = [];
    return times;
  }

  /** Waits for what is under way. @throws Error when it does not arrive */
  async settle(): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (this.underWay && performance.now() < end) await wait(5);
    const failure = this.caller.client.failure ?? this.callee.client.failure;
    if (failure) throw failure;
    if (this.underWay) throw new Error("a signal was lost");
  }

  private next(): void {
    this.round++;
    this.sentAt = performance.now();
    this.underWay = true;
    this.ask();
  }

  private ask(): void {
    this.send[this.round % ROUNDS === 0 ? "call" : "iceRestart"](this.sessionId());
  }

  private answer(): void {
    this.send[this.round % ROUNDS === 0 ? "accept" : "iceRestartAccept"](this.sessionId());
  }

  /** Of this pair and no other. */
  private sessionId(): string {
    const call = Math.floor(this.round / ROUNDS);
    return String(FIRST_SESSION + this.caller.account.userId * 1_000_000 + call);
  }

  private async reach(side: Side, send: () => void): Promise<void> {
    let sent = 0;
    let heard = 0;
    side.client.onSignal = () => {
      heard++;
    };
    while (heard === 0 && sent < PROBES) {
      send();
      sent++;
      await wait(PROBE_MS);
    }
    const failure = this.caller.client.failure ?? this.callee.client.failure;
    if (failure) throw failure;
    if (heard === 0) throw new Error("no signal got through");
  }
}
