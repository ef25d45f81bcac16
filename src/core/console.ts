/** Addresses that the banner shows. */
export interface Banner {
  base_url: string;
  graphql_url: string;
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

const CHAT_TRANSPORTS = {
  ws: "XMPP over WebSocket",
  wss: "XMPP over WebSocket, TLS",
  tcp: "XMPP over TCP, STARTTLS",
  tls: "XMPP over TCP, direct TLS",
  server: "external chat server",
} as const;

/** One row for each open chat endpoint. */
function chatRows(chat: ChatBanner): Array<[string, string]> {
  const open = Object.entries(CHAT_TRANSPORTS).filter(
    ([transport]) => chat[transport as keyof ChatBanner],
  );
  if (open.length === 0) return [["Chat", "off"]];
  const width = Math.max(
    ...open.map(([transport]) => chat[transport as keyof ChatBanner]?.length ?? 0),
  );
  return open.map(([transport, description], index) => [
    index === 0 ? "Chat" : "",
    `${(chat[transport as keyof ChatBanner] ?? "").padEnd(width)}  (${description})`,
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
  created: FirstCredentials | null,
  files: { credentials: string; owner: string },
  output: NodeJS.WriteStream = process.stdout,
): void {
  const rows: Array<[string, string]> = [
    ["REST", `${addresses.base_url}  (open it in a browser for an overview)`],
    ["GraphQL", `${addresses.graphql_url}  (open it in a browser for GraphiQL)`],
    ...chatRows(chat),
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
