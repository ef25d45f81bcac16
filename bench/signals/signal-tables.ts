import { putIntoReadme, short, toTable, verdict, whole } from "../markdown";
import type { ConnectionMeasurement, SignalMeasurement } from "./measure-signals";
import { TRANSPORTS } from "./rows";

/** Aim for the resident memory of an idle connection, in KiB. */
const KIB_MAX = 30;
/** Aim for the number of connections of a node. */
const HELD_MIN = 10_000;

const SIGNAL_HEAD = [
  "signals",
  "server",
  "p50 / p99 µs",
  "signals per second",
  "CPU µs each",
  "aim",
];
const CONNECTION_HEAD = [
  "idle connections",
  "server",
  "held",
  "KiB each",
  "sign-ins per second",
  "aim",
];

/** The measurements as Markdown tables, with their aims. */
export function toSignalTables(
  signals: SignalMeasurement[],
  connections: ConnectionMeasurement[],
): string {
  const tables: string[] = [];
  const inTable = ["signals", "idle connections", "server", "aim"];
  if (signals.length > 0) {
    const rows = signals.map((signal) => [
      nameOf(signal),
      signal.row.server,
      `${whole(signal.p50)} / ${whole(signal.p99)}`,
      whole(signal.perSecond),
      short(signal.cpuMicros),
      compareWithPeers(signal, signals),
    ]);
    tables.push(toTable(SIGNAL_HEAD, rows, inTable));
  }
  if (connections.length > 0) {
    const rows = connections.map((entry) => [
      `${whole(entry.connections)}, ${TRANSPORTS[entry.row.transport]}`,
      entry.row.server,
      whole(entry.held),
      short(entry.kib),
      entry.signInsPerSecond === undefined ? "" : whole(entry.signInsPerSecond),
      judgeConnections(entry),
    ]);
    tables.push(toTable(CONNECTION_HEAD, rows, inTable));
  }
  return tables.join("\n");
}

/** Writes the tables into bench/README.md. @throws Error if the markers are missing */
export function writeSignalTables(tables: string): void {
  putIntoReadme("npm run bench:signals -- --idle 10000 --write", tables);
}

function nameOf({ row: { from, to } }: SignalMeasurement): string {
  const [one, other] = [TRANSPORTS[from], TRANSPORTS[to]];
  return from === to ? `${one}, there and back` : `${one} → ${other}, one way`;
}

/** Aims: less CPU and a lower p50 than Prosody; over WebSocket also no more CPU than ejabberd. */
function compareWithPeers(signal: SignalMeasurement, signals: SignalMeasurement[]): string {
  const { server, from, to } = signal.row;
  if (server !== "Signalbox" || from !== to) return "";
  const peer = (name: string) =>
    signals.find(({ row }) => row.server === name && row.from === from && row.to === to);
  const prosody = peer("Prosody");
  const ejabberd = from === "websocket" ? peer("ejabberd") : undefined;
  const comparisons = [
    prosody && `${verdict(signal.cpuMicros < prosody.cpuMicros)}: less CPU than Prosody`,
    prosody && `${verdict(signal.p50 < prosody.p50)}: a lower p50`,
    ejabberd && `${verdict(signal.cpuMicros <= ejabberd.cpuMicros)}: no more CPU than ejabberd`,
  ];
  return comparisons.filter(Boolean).join("; ");
}

function judgeConnections({ row, kib, held, connections }: ConnectionMeasurement): string {
  if (row.server !== "Signalbox") return "";
  const memory = `${verdict(kib <= KIB_MAX)}: ≤ ${KIB_MAX} KiB`;
  if (connections < HELD_MIN) return memory;
  return `${memory}; ${verdict(held >= HELD_MIN)}: ${whole(HELD_MIN)} held`;
}
