/** What the banner tells. */
export interface Banner {
  base_url: string;
  graphql_url: string;
}

/** Where chat clients connect, by what they speak; those alone that are open. */
export interface ChatBanner {
  ws?: string;
  wss?: string;
  tcp?: string;
  tls?: string;
  /** The chat server that this service is attached to. */
  server?: string;
}

const CHAT = {
  ws: "XMPP over WebSocket",
  wss: "the same inside TLS",
  tcp: "XMPP over TCP, STARTTLS",
  tls: "XMPP over TCP inside TLS",
  server: "an existing chat server",
} as const;

/** A row for each way to the chat endpoint, as it is on this machine. */
function chatRows(chat: ChatBanner): Array<[string, string]> {
  const open = Object.entries(CHAT).filter(([way]) => chat[way as keyof ChatBanner]);
  if (open.length === 0) return [["Chat", "off"]];
  const width = Math.max(...open.map(([way]) => chat[way as keyof ChatBanner]?.length ?? 0));
  return open.map(([way, words], index) => [
    index === 0 ? "Chat" : "",
    `${(chat[way as keyof ChatBanner] ?? "").padEnd(width)}  (${words})`,
  ]);
}

/** The credentials of a first start. */
export interface FirstCredentials {
  application_id: number;
  auth_key: string;
  auth_secret: string;
  account_key: string;
}

/**
 * Says on standard output that the service runs and where. Secrets are shown only to a person: an
 * output that is no terminal may be a log that others read.
 */
export function printBanner(
  addresses: Banner,
  chat: ChatBanner,
  created: FirstCredentials | null,
  files: { credentials: string; owner: string },
  output: NodeJS.WriteStream = process.stdout,
): void {
  const rows: Array<[string, string]> = [
    ["REST", addresses.base_url],
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

/** Says on standard error why the process ends. */
export function printProblem(problem: unknown): void {
  const text = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
  process.stderr.write(`${text}\n`);
}

/** Whether a person sees what is written to standard output. */
export function isShownToPerson(output: NodeJS.WriteStream = process.stdout): boolean {
  return output.isTTY === true;
}

/** Writes what a command was asked for to standard output. */
export function printText(text: string): void {
  process.stdout.write(`${text}\n`);
}
