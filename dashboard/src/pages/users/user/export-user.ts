import { queryClient } from "../../../api/queries.ts";
import { session } from "../../../api/session.ts";
import { runTask } from "../../../api/tasks.ts";
import { downloadFile } from "../../../components/download.ts";
import { userStrings } from "./strings.ts";
import { ExportUserDocument, type ExportUserMutationVariables } from "./user.generated.ts";
import type { UserRef } from "./user-ref.ts";

const texts = userStrings;

/** The part of the export that is a row, and no list. */
const USER = "user";
/** Time for a page, in milliseconds. */
const PAGE_MS = 60_000;

/** Downloads everything that is stored about a user as a task, page by page. */
export async function exportUser({ applicationId, user, name }: UserRef): Promise<void> {
  await runTask(texts.exportTask(name), async (report) => {
    // The connection of the start: a sign-out closes it and thereby ends the export.
    const { connection } = session;
    // Parts of a Blob may leave the memory of the page, so that a long export needs little of it.
    const lists = new Map<string, BlobPart[]>();
    let rows = 0;
    for (let after: string | null = null, isMore = true; isMore; ) {
      report(null, texts.exportRunning(rows));
      const variables: ExportUserMutationVariables = {
        input: { applicationId, userId: user.id },
        after,
      };
      // A page only reads: one that fails for a moment is asked for again.
      const answer = await queryClient.fetchQuery({
        queryKey: ["ExportUser", variables],
        queryFn: () => connection.query(ExportUserDocument, variables, { timeoutMs: PAGE_MS }),
        staleTime: 0,
        gcTime: 0,
      });
      const { export: page, endCursor } = answer.exportUser;
      for (const [list, value] of Object.entries(page)) {
        const parts = lists.get(list) ?? [];
        lists.set(list, parts);
        rows += Array.isArray(value) ? value.length : 1;
        parts.push(...partsOf(value, parts.length > 0));
      }
      after = endCursor ?? null;
      isMore = after !== null;
    }
    const file = texts.exportFile(user.id);
    downloadFile(toDocument(lists), file);
    return texts.exported(file);
  });
}

/** The row, or the rows of a list, which continue those of an earlier page. */
function partsOf(value: unknown, isContinued: boolean): BlobPart[] {
  const json = JSON.stringify(value, null, 2);
  if (!Array.isArray(value)) return [json];
  return value.length === 0 ? [] : [new Blob([isContinued ? "," : "", json.slice(1, -1)])];
}

/** One JSON object with all lists, whose rows are parts. */
function toDocument(lists: ReadonlyMap<string, BlobPart[]>): Blob {
  const document: BlobPart[] = [];
  for (const [name, parts] of lists) {
    document.push(`${document.length === 0 ? "{" : ","}\n${JSON.stringify(name)}: `);
    document.push(...(name === USER ? parts : ["[", ...parts, "]"]));
  }
  return new Blob([...document, "\n}\n"], { type: "application/json" });
}
