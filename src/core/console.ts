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

/** What an operator needs to know of a node that is ready. Holds no secret. */
export interface ReadyNode {
  /** Base URL of the REST API. */
  rest: string;
  graphql: string;
  /** Null if it is off or not built. */
  dashboard: string | null;
  chat: ChatBanner;
  conferences: ConferenceBanner;
  /** The file with the owner's password, if this node has it: of several nodes only the one that started first. */
  owner?: string;
  /** The file with the credentials of the first application, likewise. */
  credentials?: string;
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

/** Prints to a terminal that a node is ready, with the secrets that its start has created. */
export function printBanner(
  { rest, graphql, dashboard, chat, conferences, owner, credentials }: ReadyNode,
  created: FirstCredentials | null,
): void {
  const rows: Array<[string, string]> = [];
  if (dashboard !== null) rows.push(["Dashboard", `${dashboard}  (sign in as the owner)`]);
  rows.push(
    ["REST", `${rest}  (open it in a browser for an overview)`],
    ["GraphQL", `${graphql}  (open it in a browser for GraphiQL)`],
    ...endpointRows("Chat", CHAT_TRANSPORTS, chat),
  );
  if (Object.keys(conferences).length > 0) {
    rows.push(...endpointRows("Conferences", CONFERENCE_TRANSPORTS, conferences));
  }
  if (created) {
    rows.push(
      ["Application", String(created.application_id)],
      ["auth_key", created.auth_key],
      ["auth_secret", created.auth_secret],
      ["account key", created.account_key],
    );
  }
  if (owner !== undefined) rows.push(["Owner", `${owner}  (the first password)`]);
  if (credentials !== undefined) rows.push(["Credentials", credentials]);
  const lines = rows.map(([name, value]) => `  ${name.padEnd(12)} ${value}`);
  process.stdout.write(`\nSignalbox is ready.\n\n${lines.join("\n")}\n\n`);
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
