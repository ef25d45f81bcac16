/** What a stand-in does with a push to one device. */
export type Behaviour =
  /** Takes it. */
  | { kind: "ok" }
  /** Answers with an error: the service's usual reason for the status, if no other is given. */
  | { kind: "answer"; status: number; reason?: string; headers?: Record<string, string> }
  /** Answers with exactly this, which no such service says. */
  | { kind: "raw"; status: number; body: string; headers?: Record<string, string> }
  /** Takes it, tells the connection to end, and ignores what comes on it afterwards. */
  | { kind: "goaway" }
  /** Tells the connection to end as if this one had come afterwards. */
  | { kind: "goaway-before" }
  /** Cuts the connection. */
  | { kind: "drop" }
  /** Takes it after so many milliseconds. */
  | { kind: "slow"; ms: number }
  /** Never answers. */
  | { kind: "silent" };

const answer = (status: number, headers?: Record<string, string>): Behaviour => ({
  kind: "answer",
  status,
  headers,
});

/** Behaviours that a device token names itself, by four characters behind `0000` or `code-`. */
export const CODES: Readonly<Record<string, Behaviour>> = {
  "0400": answer(400),
  "0403": answer(403),
  "0410": answer(410),
  "0413": answer(413),
  "0429": answer(429, { "retry-after": "5" }),
  "0500": answer(500),
  "0503": answer(503, { "retry-after": "5" }),
  a001: { kind: "goaway" },
  a002: { kind: "drop" },
  a003: { kind: "slow", ms: 3000 },
  a004: { kind: "silent" },
};

const CODED = /^(?:0000|code-)([0-9a-f]{4})/i;

/** What each device has been told to do. */
export class Script {
  private readonly told = new Map<string, Behaviour[]>();

  /** The next pushes to a device go like this, one after another; the last one stays. */
  tell(device: string, ...behaviours: Behaviour[]): void {
    this.told.set(device, behaviours);
  }

  /** The behaviour of the next push to a device. */
  next(device: string): Behaviour {
    const list = this.told.get(device);
    if (list && list.length > 0) return list.length > 1 ? list.shift()! : list[0]!;
    const code = CODED.exec(device)?.[1]?.toLowerCase();
    return (code !== undefined && CODES[code]) || { kind: "ok" };
  }
}
