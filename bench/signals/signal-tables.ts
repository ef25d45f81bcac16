import { putIntoReadme, short, toTable, verdict, whole } from "../markdown";
import type { Crowd, Talk } from "./measure-signals";
import { TRANSPORTS } from "./rows";

/** Aim for the resident memory of an idle connection, in KiB. */
const KIB_MAX = 30;
/** Aim for the number of connections of a node. */
const HELD_MIN = 10_000;

const TALK_HEAD = [
  ...["signals", "server", "p50 / p99 µs", "signals per second", "CPU µs each"],
  "aim",
];
const CROWD_HEAD = ["idle connections", "server", "held", "KiB each", "sign-ins per second", "aim"];

/** The measurements as Markdown tables, with their aims. */
export function toSignalTables(talks: Talk[], crowds: Crowd[]): string {
  const tables: string[] = [];
  const inTable = ["signals", "idle connections", "server", "aim"];
  if (talks.length > 0) {
    const rows = talks.map((talk) => [
      nameOf(talk),
      talk.row.server,
      `${whole(talk.p50)} / ${whole(talk.p99)}`,
      whole(talk.perSecond),
      short(talk.cpuMicros),
      judgeTalk(talk, talks),
    ]);
    tables.push(toTable(TALK_HEAD, rows, inTable));
  }
  if (crowds.length > 0) {
    const rows = crowds.map((crowd) => [
      `${whole(crowd.connections)}, ${TRANSPORTS[crowd.row.door]}`,
      crowd.row.server,
      whole(crowd.held),
      short(crowd.kib),
      crowd.signInsPerSecond === undefined ? "" : whole(crowd.signInsPerSecond),
      judgeCrowd(crowd),
    ]);
    tables.push(toTable(CROWD_HEAD, rows, inTable));
  }
  return tables.join("\n");
}

/** Writes the tables into bench/README.md. @throws Error if the markers are missing */
export function writeSignalTables(tables: string): void {
  putIntoReadme("npm run bench:signals -- --idle 10000 --write", tables);
}

function nameOf({ row: { from, to } }: Talk): string {
  const [one, other] = [TRANSPORTS[from], TRANSPORTS[to]];
  return from === to ? `${one}, there and back` : `${one} → ${other}, one way`;
}

/** Aims: less CPU and a lower p50 than Prosody; over WebSocket also no more CPU than ejabberd. */
function judgeTalk(talk: Talk, talks: Talk[]): string {
  const { server, from, to } = talk.row;
  if (server !== "Signalbox" || from !== to) return "";
  const peer = (name: string) =>
    talks.find(({ row }) => row.server === name && row.from === from && row.to === to);
  const prosody = peer("Prosody");
  const ejabberd = from === "websocket" ? peer("ejabberd") : undefined;
  const judged = [
    prosody && `${verdict(talk.cpuMicros < prosody.cpuMicros)}: less CPU than Prosody`,
    prosody && `${verdict(talk.p50 < prosody.p50)}: a lower p50`,
    ejabberd && `${verdict(talk.cpuMicros <= ejabberd.cpuMicros)}: no more CPU than ejabberd`,
  ];
  return judged.filter(Boolean).join("; ");
}

function judgeCrowd({ row, kib, held, connections }: Crowd): string {
  if (row.server !== "Signalbox") return "";
  const memory = `${verdict(kib <= KIB_MAX)}: ≤ ${KIB_MAX} KiB`;
  if (connections < HELD_MIN) return memory;
  return `${memory}; ${verdict(held >= HELD_MIN)}: ${whole(HELD_MIN)} held`;
}
