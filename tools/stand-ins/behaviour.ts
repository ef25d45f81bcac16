/** How a stand-in handles a push to one device. */
export type Behaviour =
  /** Accepts the push. */
  | { kind: "ok" }
  /** Returns an error, by default with the service's usual reason for the status. */
  | { kind: "answer"; status: number; reason?: string; headers?: Record<string, string> }
  /** Returns exactly this response, which the real service would not. */
  | { kind: "raw"; status: number; body: string; headers?: Record<string, string> }
  /** Accepts the push, sends GOAWAY, and ignores later requests on the connection. */
  | { kind: "goaway" }
  /** Sends GOAWAY as if the push had arrived after it. */
  | { kind: "goaway-before" }
  /** Closes the connection. */
  | { kind: "drop" }
  /** Accepts the push after a delay in milliseconds. */
  | { kind: "slow"; ms: number }
  /** Never responds. */
  | { kind: "silent" };

const error = (status: number, headers?: Record<string, string>): Behaviour => ({
  kind: "answer",
  status,
  headers,
});

/** Behaviours that a device token selects, by four characters after `0000` or `code-`. */
export const CODES: Readonly<Record<string, Behaviour>> = {
  "0400": error(400),
  "0403": error(403),
  "0410": error(410),
  "0413": error(413),
  "0429": error(429, { "retry-after": "5" }),
  "0500": error(500),
  "0503": error(503, { "retry-after": "5" }),
  a001: { kind: "goaway" },
  a002: { kind: "drop" },
  a003: { kind: "slow", ms: 3000 },
  a004: { kind: "silent" },
};

const CODED = /^(?:0000|code-)([0-9a-f]{4})/i;

/** Scripted behaviours by device. */
export class Script {
  private readonly behaviours = new Map<string, Behaviour[]>();

  /** Sets the behaviours for the next pushes to a device; the last one repeats. */
  set(device: string, ...behaviours: Behaviour[]): void {
    this.behaviours.set(device, behaviours);
  }

  /** The behaviour for the next push to a device. */
  next(device: string): Behaviour {
    const list = this.behaviours.get(device);
    if (list && list.length > 0) return list.length > 1 ? list.shift()! : list[0]!;
    const code = CODED.exec(device)?.[1]?.toLowerCase();
    return (code !== undefined && CODES[code]) || { kind: "ok" };
  }
}
