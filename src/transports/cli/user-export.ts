import type { Command } from "commander";
import { printLines } from "../../core/console";
import type { Invocation } from "./connection/document-command";
import { asMember } from "./connection/member";
import { checkId } from "./connection/option-values";
import { toJsonLine } from "./connection/table";

const PAGE_MUTATION = `mutation ($input: ApplicationUserInput!, $after: String) {
  exportUser(input: $input, after: $after) { export endCursor }
}`;

interface Answer {
  /** The row of the user, and rows by list. */
  export: Record<string, object | object[]>;
  endCursor: string | null;
}

/** Adds `user export`, which prints all pages of the export of a user as one JSON object. */
export function addUserExport(group: Command, invocation: () => Invocation): void {
  group
    .command("export")
    .description("Exports all stored data of a user as JSON.")
    .requiredOption("--app <id>", "Id of the application.")
    .requiredOption("--user <id>", "Id of the user.")
    .action(async ({ app, user }: { app: string; user: string }) => {
      checkId("app", app);
      checkId("user", user);
      await asMember(invocation().access(), async (execute) => {
        const input = { applicationId: app, userId: user };
        const document = new ExportDocument();
        for (let after: string | null = null, isMore = true; isMore; ) {
          const { exportUser } = await execute(PAGE_MUTATION, { input, after });
          const { export: page, endCursor } = exportUser as Answer;
          after = endCursor;
          isMore = after !== null;
          await printLines(document.linesOf(page, !isMore));
        }
      });
    });
}

/** Writes a JSON object page by page, a row on a line. A list may continue on the next page. */
class ExportDocument {
  private open: string | null = null;
  /** The last line; the line after it decides whether a comma follows. */
  private held = "{";
  private lines: string[] = [];

  /** @returns the lines that are complete */
  linesOf(page: Answer["export"], isLast: boolean): string[] {
    for (const [name, value] of Object.entries(page)) {
      if (name !== this.open) {
        this.closeList();
        if (!Array.isArray(value)) {
          this.write(`${toJsonLine(name)}: ${toJsonLine(value)}`);
          continue;
        }
        this.write(`${toJsonLine(name)}: [`);
        this.open = name;
      }
      for (const row of value as object[]) this.write(toJsonLine(row));
    }
    if (isLast) {
      this.closeList();
      this.write("}", false);
      this.lines.push(this.held);
    }
    return this.lines.splice(0);
  }

  private closeList(): void {
    if (this.open !== null) this.write("]", false);
    this.open = null;
  }

  private write(line: string, isElement = true): void {
    const begins = this.held === "{" || this.held.endsWith(": [");
    this.lines.push(isElement && !begins ? `${this.held},` : this.held);
    this.held = line;
  }
}
