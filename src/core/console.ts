/** Addresses that the banner shows. */
export interface Banner {
  base_url: string;
  graphql_url: string;
  /** Null if the dashboard is off or not built. */
  dashboard_url: string | null;
}

/** URLs of the open chat endpoints, by transport. */
export interface ChatBanner {
  ws?: string;
  wss?: string;
  tcp?: string;
  tls?: string;
  /** The external chat server that this service is connected to as a component. */
  server?: string;
}

/** URLs of the open endpoints of legacy conference clients, by transport. */
export interface ConferenceBanner {
  ws?: string;
  wss?: string;
}

const CHAT_TRANSPORTS = {
  ws: "XMPP over WebSocket",
  wss: "XMPP over WebSocket, TLS",
  tcp: "XMPP over TCP, STARTTLS",
  tls: "XMPP over TCP, direct TLS",
  server: "external chat server",
} as const;
const CONFERENCE_TRANSPORTS = {
  ws: "Janus protocol over WebSocket",
  wss: "Janus protocol over WebSocket, TLS",
} as const;

/** One row for each open endpoint. */
function endpointRows<Transport extends string>(
  name: string,
  descriptions: Readonly<Record<Transport, string>>,
  urls: Partial<Record<Transport, string>>,
): Array<[string, string]> {
  const open = (Object.keys(descriptions) as Transport[]).filter((transport) => urls[transport]);
  if (open.length === 0) return [[name, "off"]];
  const width = Math.max(...open.map((transport) => urls[transport]?.length ?? 0));
  return open.map((transport, index) => [
    index === 0 ? name : "",
    `${(urls[transport] ?? "").padEnd(width)}  (${descriptions[transport]})`,
  ]);
}

/** Credentials that the first start creates. */
export interface FirstCredentials {
  application_id: number;
  auth_key: string;
  auth_secret: string;
  account_key: string;
}

/**
 * Prints to standard output that the service is running, and its addresses. Secrets are printed only to a
 * terminal: any other output may be a log that others can read.
 */
export function printBanner(
  addresses: Banner,
  chat: ChatBanner,
  conferences: ConferenceBanner,
  created: FirstCredentials | null,
  files: { credentials: string; owner: string },
  output: NodeJS.WriteStream = process.stdout,
): void {
  const { dashboard_url: dashboard } = addresses;
  const rows: Array<[string, string]> = [
    ...(dashboard === null
      ? []
      : [["Dashboard", `${dashboard}  (sign in as the owner)`] as [string, string]]),
    ["REST", `${addresses.base_url}  (open it in a browser for an overview)`],
    ["GraphQL", `${addresses.graphql_url}  (open it in a browser for GraphiQL)`],
    ...endpointRows("Chat", CHAT_TRANSPORTS, chat),
    ...(Object.keys(conferences).length > 0
      ? endpointRows("Conferences", CONFERENCE_TRANSPORTS, conferences)
      : []),
  ];
  if (created) {
    rows.push(["Application", String(created.application_id)]);
    if (output.isTTY) {
      rows.push(["auth_key", created.auth_key], ["auth_secret", created.auth_secret]);
      rows.push(["account key", created.account_key]);
    }
  }
  rows.push(["Owner", files.owner], ["Credentials", files.credentials]);
  const lines = rows.map(([name, value]) => `  ${name.padEnd(12)} ${value}`);
  output.write(`\nSignalbox is ready.\n\n${lines.join("\n")}\n\n`);
}

/** Prints to standard error why the process exits. */
export function printProblem(problem: unknown): void {
  const text = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
  process.stderr.write(`${text}\n`);
}

/** Whether standard output is a terminal. */
export function isStdoutTerminal(output: NodeJS.WriteStream = process.stdout): boolean {
  return output.isTTY === true;
}

/** Calls a listener when the reader of standard output is gone: a closed pipe or terminal. */
export function onOutputClosed(listener: () => void): void {
  process.stdout.on("error", listener);
}

/** Prints the output of a command to standard output. */
export function printText(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints lines to standard output. @returns resolves once they are written, so that a slow reader slows the writer */
export function printLines(lines: readonly string[]): Promise<void> {
  const text = lines.map((line) => `${line}\n`).join("");
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}
