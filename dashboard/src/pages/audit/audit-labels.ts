import type { AuditEntriesQuery } from "./audit.generated.ts";
import { auditStrings } from "./strings.ts";

const texts = auditStrings;

/** An entry of the log. */
export type AuditEntry = AuditEntriesQuery["account"]["auditEntries"]["nodes"][number];

/** Every kind of change that has a label, for the filter. */
export const ACTIONS: readonly string[] = [
  ...Object.keys(texts.actions),
  ...Object.keys(texts.formerActions),
];

/** What a mutation does, in words; the parts of its name for one that has none. */
export function actionLabel(action: string): string {
  const former = texts.formerActions[action];
  if (former !== undefined) return texts.formerly(former);
  return texts.actions[action] ?? capitalized(spacedWords(action));
}

/** What an id is of, such as “User 42”. */
export function targetLabel(action: string, { name, id }: AuditEntry["targets"][number]): string {
  const kind = kindOf(action, name);
  return `${texts.targets[kind] ?? capitalized(spacedWords(kind))} ${id}`;
}

/** What a target is: the name of its id without Id, unless the mutation says more. */
function kindOf(action: string, name: string): string {
  if (name === "id" && action.endsWith("Member")) return "member";
  if (name === "id" && action.endsWith("Invitation")) return "invitation";
  if (name === "id" && action.endsWith("Call")) return "call";
  if (name === "id" && action.endsWith("PushEvent")) return "pushEvent";
  // Versions before this name called a participant of a conference a member.
  if (name === "memberId" && action.includes("Conference")) return "participant";
  return name.replace(/Ids?$/, "");
}

/** Objects that an entry names, beside the application, which has a line of its own. */
export function otherTargets({ targets, applicationId }: AuditEntry): AuditEntry["targets"] {
  return targets.filter(({ name, id }) => name !== "applicationId" || id !== applicationId);
}

/** What a field of an input is, in words. */
export function fieldLabel(name: string): string {
  const known = texts.fields[name];
  if (known !== undefined) return known;
  return capitalized(name.split(".").map(spacedWords).join(": "));
}

/** What a field was set to, in words. */
export function valueLabel({ name, value, cleared }: AuditEntry["fields"][number]): string {
  if (cleared) return texts.cleared;
  if (value === null || value === undefined) return texts.notRecorded;
  if (value === "true") return texts.on;
  if (value === "false") return texts.off;
  return texts.values[name]?.[value] ?? (value === "" ? texts.emptyValue : value);
}

/** How an entry ended, for its badge. */
export type AuditResult = "done" | "refused" | "failed" | "unknown";

/** Codes after which the change may have been made. */
const UNCERTAIN = ["INTERNAL", "UNAVAILABLE"];

/** How an entry ended. */
export function resultOf({ outcome, errorCode }: AuditEntry): AuditResult {
  if (outcome === "SUCCEEDED") return "done";
  if (outcome === "STARTED") return "unknown";
  return errorCode === "FORBIDDEN" || errorCode === "UNAUTHENTICATED" ? "refused" : "failed";
}

/** How an entry ended, in a sentence. */
export function resultLabel(entry: AuditEntry): string {
  const { outcome, errorCode } = entry;
  if (outcome === "SUCCEEDED") return texts.succeeded;
  if (outcome === "STARTED") return texts.started;
  const code = errorCode ?? "INTERNAL";
  const reason = texts.reasons[code] ?? texts.otherReason(code);
  return UNCERTAIN.includes(code) ? `${reason} ${texts.mayHaveChanged}` : reason;
}

/** The words of a name such as incomingCallPush: “incoming call push”. */
function spacedWords(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
