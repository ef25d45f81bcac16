import { queryClient } from "../../api/queries.ts";
import { session } from "../../api/session.ts";
import { type ReportProgress, runTask } from "../../api/tasks.ts";
import { csvLine, downloadFile } from "../../components/download.ts";
import { formatDate } from "../../formats.ts";
import { strings } from "../../strings.ts";
import { AuditEntriesDocument, type AuditEntriesQueryVariables } from "./audit.generated.ts";
import {
  type AuditEntry,
  actionLabel,
  fieldLabel,
  targetLabel,
  valueLabel,
} from "./audit-labels.ts";
import { auditStrings } from "./strings.ts";

const texts = auditStrings;

/** Forms of an exported file: for spreadsheets, or one JSON object a line, as the command line writes it. */
export type AuditFormat = "csv" | "jsonl";

/** Makes spreadsheets read the file as UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";
const TYPES: Readonly<Record<AuditFormat, string>> = {
  csv: "text/csv",
  jsonl: "application/jsonl",
};
/** Entries that the service returns at once. */
const PAGE_SIZE = 100;
/** How long entries are kept, in milliseconds. */
const RETENTION_MS = 90 * 24 * 3_600_000;

/** Exports the entries of the filters as a file. The task continues while other pages are used. */
export function exportAuditLog(filter: AuditEntriesQueryVariables, format: AuditFormat): void {
  void runTask(texts.exportTask, async (report) => {
    const name = `audit-${new Date().toISOString().slice(0, 10)}.${format}`;
    // Parts of a Blob may leave the memory of the page, so that a long log needs little of it.
    const parts: Blob[] =
      format === "csv" ? [new Blob([BYTE_ORDER_MARK, csvLine(texts.csvColumns)])] : [];
    let count = 0;
    for await (const entries of auditPages(filter, report)) {
      count += entries.length;
      parts.push(new Blob(entries.map(format === "csv" ? toCsv : toJson)));
      report(progressOf(entries.at(-1), filter), texts.exportRunning(count, dayOf(entries.at(-1))));
    }
    downloadFile(new Blob(parts, { type: TYPES[format] }), name);
    return texts.exported(count, name);
  });
}

/** Reads the log page by page, newest first. A page that fails for a moment is asked for again. */
async function* auditPages(filter: AuditEntriesQueryVariables, report: ReportProgress) {
  // That of the start: a sign-out closes it and thereby ends the export.
  const { connection } = session;
  report(0, texts.exportRunning(0, null));
  for (let after: string | null = null, isMore = true; isMore; ) {
    const variables: AuditEntriesQueryVariables = { ...filter, first: PAGE_SIZE, after };
    const { account } = await queryClient.fetchQuery({
      queryKey: ["AuditExport", variables],
      queryFn: () => connection.query(AuditEntriesDocument, variables),
      staleTime: 0,
      gcTime: 0,
    });
    const { nodes, pageInfo } = account.auditEntries;
    yield nodes;
    after = pageInfo.endCursor ?? null;
    isMore = pageInfo.hasNextPage;
  }
}

/** The part of the time of the filters that is read, which goes backwards. */
function progressOf(last: AuditEntry | undefined, { since, until }: AuditEntriesQueryVariables) {
  const now = Date.now();
  const newest = Math.min(until ? Date.parse(String(until)) : now, now);
  const kept = now - RETENTION_MS;
  const oldest = since ? Math.max(Date.parse(String(since)), kept) : kept;
  if (!last || newest <= oldest) return 0;
  return Math.min(1, Math.max(0, (newest - Date.parse(last.createdAt)) / (newest - oldest)));
}

function dayOf(entry: AuditEntry | undefined): string | null {
  return entry ? formatDate(entry.createdAt) : null;
}

function toJson(entry: AuditEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

function toCsv(entry: AuditEntry): string {
  return csvLine([
    entry.createdAt,
    entry.email,
    strings.roles[entry.role],
    entry.apiKey?.name ?? "",
    actionLabel(entry.action),
    entry.action,
    entry.outcome,
    entry.errorCode ?? "",
    entry.applicationId ?? "",
    entry.targets.map((target) => targetLabel(entry.action, target)).join("; "),
    entry.fields.map((field) => `${fieldLabel(field.name)}: ${valueLabel(field)}`).join("; "),
    entry.ip,
    entry.userAgent ?? "",
    entry.requestId,
  ]);
}
