/** What the banner tells. */
export interface Banner {
  base_url: string;
  graphql_url: string;
  chat_url: string;
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
  created: FirstCredentials | null,
  files: { credentials: string; owner: string },
  output: NodeJS.WriteStream = process.stdout,
): void {
  const rows: Array<[string, string]> = [
    ["REST", addresses.base_url],
    ["GraphQL", `${addresses.graphql_url}  (open it in a browser for GraphiQL)`],
    ["Chat", `${addresses.chat_url}  (XMPP over WebSocket)`],
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

/** Writes what a command was asked for to standard output. */
export function printText(text: string): void {
  process.stdout.write(`${text}\n`);
}
