import type { ErrorCode, FieldErrors } from "../../../core/errors";
import { Fault } from "../../../core/errors";
import type { Log } from "../../../core/log";
import { carriedTrace, failSpan, inConsumerSpan, inSpan } from "../../../core/tracing";
import type { Bus } from "../../../platform/bus/bus";
import { isReadOnly } from "./commands";
import { NotHostedError } from "./host-deps";

/** Time in which the other node must confirm that it has received a call, in milliseconds. */
const RECEIPT_MS = 1_000;
/** Time in which it must answer, in milliseconds. */
const ANSWER_MS = 15_000;
/** Maximum number of calls of this node that wait. */
const WAITING_MAX = 10_000;
/** Number of answers that are kept for a repeated call. */
const ANSWERS_MAX = 1_000;

/** A call of one node to another, with the same id when it is repeated; JSON. */
interface CallMessage {
  id: string;
  from: string;
  conferenceId: number;
  command: string;
  args: unknown[];
  /** The trace of the caller, if it is sampled. */
  trace?: string;
}

/** The response; JSON. `notHosted` when the called node does not host the conference. */
type Answer =
  | { result: unknown }
  | { notHosted: true }
  | { fault: { code: ErrorCode; message: string; fields?: FieldErrors; retryAfter?: number } };
type AnswerMessage = { id: string; received: true } | { id: string; answer: Answer };

interface Waiting {
  received: boolean;
  settle(answer: Answer | null): void;
}

/** Runs a command of a conference on this node. @throws NotHostedError, Fault */
export type RunCommand = (
  conferenceId: number,
  command: string,
  args: unknown[],
) => Promise<unknown>;

/**
 * Calls between nodes, by notices on the bus. A call that is repeated with its id runs once, unless its command changes
 * nothing.
 */
export class NodeCalls {
  private readonly waiting = new Map<string, Waiting>();
  private readonly answers = new Map<string, Promise<Answer>>();
  private unsubscribe: (() => Promise<void>) | null = null;

  constructor(
    private readonly bus: Bus,
    private readonly log: Log,
    private readonly node: string,
    private readonly run: RunCommand,
  ) {}

  /** Begins to receive calls and answers. */
  async open(): Promise<void> {
    this.unsubscribe ??= await this.bus.subscribe(channelOf(this.node), (message) => {
      // An empty message says that notices may have been missed: then calls time out.
      if (message !== "") this.onMessage(JSON.parse(message) as CallMessage | AnswerMessage);
    });
  }

  async close(): Promise<void> {
    await this.unsubscribe?.();
    for (const { settle } of this.waiting.values()) settle(null);
  }

  /**
   * Calls another node.
   * @param id the same for each repetition of a call
   * @throws NotHostedError if it does not host the conference or does not confirm the call, Fault of the command,
   * Fault UNAVAILABLE without an answer in time
   */
  call(
    node: string,
    id: string,
    conferenceId: number,
    command: string,
    args: unknown[],
  ): Promise<unknown> {
    return inSpan("send conference-node", "producer", attributesOf("send"), () =>
      this.callNode(node, { id, from: this.node, conferenceId, command, args }),
    );
  }

  private async callNode(node: string, untraced: CallMessage): Promise<unknown> {
    if (this.waiting.size >= WAITING_MAX) throw noAnswer();
    await this.open();
    const message: CallMessage = { ...untraced, trace: carriedTrace() };
    const { id } = message;
    let timer: NodeJS.Timeout | undefined;
    const answer = await new Promise<Answer | null>((resolve, reject) => {
      const waiting: Waiting = { received: false, settle: resolve };
      this.waiting.set(id, waiting);
      timer = setTimeout(() => {
        if (!waiting.received) resolve({ notHosted: true });
        else timer = setTimeout(() => resolve(null), ANSWER_MS - RECEIPT_MS);
      }, RECEIPT_MS);
      this.bus.publish(channelOf(node), JSON.stringify(message)).catch(reject);
    }).finally(() => {
      clearTimeout(timer);
      this.waiting.delete(id);
    });
    if (answer === null) throw noAnswer();
    if ("notHosted" in answer) throw new NotHostedError();
    if ("result" in answer) return answer.result;
    const { code, message: text, fields, retryAfter } = answer.fault;
    throw new Fault(code, text, fields, retryAfter);
  }

  private onMessage(message: CallMessage | AnswerMessage): void {
    if ("command" in message) {
      void this.answer(message);
      return;
    }
    const waiting = this.waiting.get(message.id);
    if (!waiting) return;
    if ("received" in message) waiting.received = true;
    else waiting.settle(message.answer);
  }

  private async answer(call: CallMessage): Promise<void> {
    const reply = (message: AnswerMessage) =>
      this.bus.publish(channelOf(call.from), JSON.stringify(message)).catch((error: unknown) => {
        this.log.warn({ err: error }, "another node could not be answered");
      });
    void reply({ id: call.id, received: true });
    const known = this.answers.get(call.id);
    const answer = known ?? this.runCall(call);
    // Readers of statistics are many. Their answers would push out those that keep a repeated command from running twice.
    if (!known && !isReadOnly(call.command)) {
      this.answers.set(call.id, answer);
      const [oldest] = this.answers.keys();
      if (this.answers.size > ANSWERS_MAX && oldest !== undefined) this.answers.delete(oldest);
    }
    const settled = await answer;
    // The caller looks for the host again, and may find this node.
    if ("notHosted" in settled) this.answers.delete(call.id);
    await reply({ id: call.id, answer: settled });
  }

  private runCall(call: CallMessage): Promise<Answer> {
    if (call.trace === undefined) return this.runCommand(call);
    const attributes = attributesOf("process");
    return inConsumerSpan("process conference-node", attributes, call.trace, async (span) => {
      const answer = await this.runCommand(call);
      if ("fault" in answer) failSpan(span, answer.fault.code);
      return answer;
    });
  }

  private async runCommand({ conferenceId, command, args }: CallMessage): Promise<Answer> {
    try {
      return { result: (await this.run(conferenceId, command, args)) ?? null };
    } catch (error) {
      if (error instanceof NotHostedError) return { notHosted: true };
      if (error instanceof Fault) {
        const { code, message, fields, retryAfter } = error;
        return {
          fault: { code, message, ...(fields && { fields }), ...(retryAfter && { retryAfter }) },
        };
      }
      this.log.error({ err: error }, "a command of a conference failed");
      return { fault: { code: "INTERNAL", message: "Internal error" } };
    }
  }
}

const attributesOf = (operation: "send" | "process") => ({
  "messaging.system": "signalbox",
  "messaging.destination.template": "conference-node:{node}",
  "messaging.operation.name": operation,
  "messaging.operation.type": operation,
});

function channelOf(node: string): string {
  return `conference-node:${node}`;
}

function noAnswer(): Fault {
  return new Fault("UNAVAILABLE", "The conference's node does not answer", undefined, 1);
}
