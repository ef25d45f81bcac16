import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { parseId } from "../../../core/text/ids";
import { isValidText, truncateText } from "../../../core/text/text";
import type { AuditField, AuditTarget, RecordedInput } from "./audit-entry";
import type { AuditExtensions } from "./audited";

/** Maximum number of targets and of fields of an entry. */
export const RECORDED_MAX = 100;
/** Maximum number of items of a list that are recorded, and of objects in a list that are entered. */
const ITEMS_MAX = 20;
/** Maximum number of characters of a recorded value. */
const VALUE_MAX = 200;

/** Scalars without text, whose values are recorded. */
const PLAIN_SCALARS: ReadonlySet<string> = new Set([
  "Boolean",
  "DateTime",
  "Float",
  "Int",
  "SafeInt",
]);
const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/**
 * What the arguments of a mutation leave in an entry: ids as targets, and the other fields that are given. Values are
 * recorded of types without text, and of texts that are declared harmless (`@Audited`); of others, the names only.
 */
export function recordInput(
  args: readonly GraphQLArgument[],
  values: Readonly<Record<string, unknown>>,
): RecordedInput {
  const recorder = new InputRecorder();
  for (const { name, type, extensions } of args) {
    // Paths of an input object start at its fields, without the argument's name.
    const path = isInputObjectType(getNullableType(type)) ? "" : name;
    recorder.add(type, values[name], path, isAudited(extensions));
  }
  return recorder.recorded;
}

/** The ids in the result of a mutation, by the type of the payload: of its objects, and of its fields. */
export function recordResult(type: GraphQLOutputType, result: unknown): AuditTarget[] {
  const payload = getNamedType(type);
  if (!isObjectType(payload) || typeof result !== "object" || result === null) return [];
  const values = result as Record<string, unknown>;
  return Object.values(payload.getFields())
    .flatMap((field): AuditTarget[] => {
      const given = values[field.name];
      const named = getNamedType(field.type);
      if (named.name === "ID") return targetOf(field.name, given);
      if (!isObjectType(named) || named.getFields().id === undefined) return [];
      const name = `${named.name[0]?.toLowerCase()}${named.name.slice(1)}Id`;
      const objects = (Array.isArray(given) ? given : [given]).slice(0, RECORDED_MAX);
      return objects.flatMap((each: { id?: unknown } | null) => targetOf(name, each?.id));
    })
    .slice(0, RECORDED_MAX);
}

/**
 * Joins targets of the input and of the result. An object that both name is listed once: `deletedApplicationId` of a
 * result is the `applicationId` of the input.
 */
export function joinTargets(input: AuditTarget[], result: AuditTarget[]): AuditTarget[] {
  const added = result.filter(
    ({ name, id }) =>
      !input.some(
        (given) =>
          given.id === id &&
          name.toLowerCase().endsWith(given.name.toLowerCase()) &&
          // A number that is by chance that of the object.
          !(given.name === "id" && name === "applicationId"),
      ),
  );
  return [...input, ...added].slice(0, RECORDED_MAX);
}

/** The application that targets name; null if they name none. */
export function applicationOf(targets: readonly AuditTarget[]): number | null {
  const target = targets.find(({ name }) => name === "applicationId");
  return target === undefined ? null : parseId(target.id);
}

class InputRecorder {
  readonly recorded: RecordedInput = { targets: [], fields: [] };
  private readonly names = new Set<string>();

  /** @param audited whether texts are recorded */
  add(type: GraphQLInputType, value: unknown, path: string, audited: boolean): void {
    if (value === undefined) return;
    if (isNonNullType(type)) this.add(type.ofType, value, path, audited);
    else if (value === null) this.addField({ name: path, value: null, cleared: true });
    else if (isListType(type)) this.addList(type.ofType, value as unknown[], path, audited);
    else if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        const inner = (value as Record<string, unknown>)[field.name];
        const { auditedAs = field.name } = field.extensions as AuditExtensions;
        const name = path === "" ? auditedAs : `${path}.${auditedAs}`;
        this.add(field.type, inner, name, isAudited(field.extensions));
      }
    } else if (type.name !== "ID" || !this.addTargets(path, [value])) {
      this.addField({ name: path, value: textOf(type, value, audited), cleared: false });
    }
  }

  private addList(type: GraphQLInputType, items: unknown[], path: string, audited: boolean): void {
    const item = getNullableType(type);
    if (isInputObjectType(item)) {
      for (const each of items.slice(0, ITEMS_MAX)) this.add(item, each, path, false);
      return;
    }
    let value: string | null = null;
    if (!isListType(item)) {
      const isIds = item.name === "ID";
      if (isIds) this.addTargets(path, items);
      value = isIds ? String(items.length) : textOfList(item, items, audited);
    }
    this.addField({ name: path, value, cleared: false });
  }

  /** @returns whether all of them have the form of ids */
  private addTargets(name: string, ids: unknown[]): boolean {
    const targets = ids.slice(0, RECORDED_MAX).flatMap((id) => targetOf(name, id));
    const room = RECORDED_MAX - this.recorded.targets.length;
    this.recorded.targets.push(...targets.slice(0, room));
    return targets.length === ids.length;
  }

  private addField(field: AuditField): void {
    // The objects of a list have the same names.
    if (this.names.has(field.name) || this.names.size >= RECORDED_MAX) return;
    this.names.add(field.name);
    this.recorded.fields.push(field);
  }
}

function isAudited(extensions: AuditExtensions): boolean {
  return extensions.audited === true;
}

/** An empty list for what does not have the form of an id, since that may be any text. */
function targetOf(name: string, value: unknown): AuditTarget[] {
  if (typeof value !== "string" && typeof value !== "number") return [];
  const id = String(value);
  return parseId(id) !== null || UUID.test(id) ? [{ name, id }] : [];
}

function textOfList(type: GraphQLLeafType, items: unknown[], audited: boolean): string | null {
  const texts = items.slice(0, ITEMS_MAX).map((each) => textOf(type, each, audited));
  if (texts.includes(null)) return null;
  if (items.length > ITEMS_MAX) texts.push(`… (${items.length})`);
  return truncateText(texts.join(", "), VALUE_MAX);
}

/** A value as text; null if it is not recorded. */
function textOf(type: GraphQLLeafType, value: unknown, audited: boolean): string | null {
  if (isEnumType(type) || PLAIN_SCALARS.has(type.name)) {
    return value === null ? "null" : String(type.serialize(value));
  }
  if (!audited || type.name !== "String" || typeof value !== "string") return null;
  return isValidText(value) ? truncateText(value, VALUE_MAX) : null;
}
