import type { Command } from "commander";
import { printLines } from "../../core/console";
import type { Invocation } from "./connection/document-command";
import { asMember } from "./connection/member";
import { checkTime } from "./connection/option-values";
import { toJsonLine } from "./connection/table";

const PAGE_QUERY = `query ($since: DateTime, $until: DateTime, $after: String) {
  account {
    auditEntries(since: $since, until: $until, after: $after) {
      nodes {
        id createdAt memberId email apiKey { id name } action outcome errorCode applicationId targets { name id }
        fields { name value cleared } ip userAgent requestId
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

interface Answer {
  auditEntries: {
    nodes: object[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

interface ExportOptions {
  since?: string;
  until?: string;
}

/** Adds `audit export`, which prints the whole log page by page. */
export function addAuditExport(group: Command, invocation: () => Invocation): void {
  group
    .command("export")
    .description("Prints the whole audit log, newest first: one JSON object a line.")
    .option("--since <time>", "Only entries from this time on, in ISO 8601.")
    .option("--until <time>", "Only entries before this time, in ISO 8601.")
    .action(async (options: ExportOptions) => {
      for (const [name, value] of Object.entries(options)) checkTime(`--${name}`, value);
      await asMember(invocation().access(), async (execute) => {
        for (let after: string | null = null, isMore = true; isMore; ) {
          const { account } = await execute(PAGE_QUERY, { ...options, after });
          const { nodes, pageInfo } = (account as Answer).auditEntries;
          await printLines(nodes.map(toJsonLine));
          after = pageInfo.endCursor;
          isMore = pageInfo.hasNextPage;
        }
      });
    });
}
