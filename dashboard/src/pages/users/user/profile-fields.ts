import type { UpdateUserInput, UserProfileFieldsFragment } from "./user.generated.ts";

/** The fields of the profile that hold a text. */
export const TEXT_FIELDS = [
  "fullName",
  "login",
  "email",
  "phone",
  "website",
  "externalId",
  "facebookId",
  "twitterId",
  "avatar",
  "customData",
] as const;

/** A field of the profile that holds a text. */
export type TextField = (typeof TEXT_FIELDS)[number];

/** The profile in a form: no value is an empty text. */
export interface ProfileValues extends Record<TextField, string> {
  tags: string[];
  timezone: number | string;
}

/** The profile as the form shows it. */
export function profileValues(user: UserProfileFieldsFragment): ProfileValues {
  const texts = TEXT_FIELDS.map((name) => [name, user[name] ?? ""] as const);
  return {
    ...(Object.fromEntries(texts) as Record<TextField, string>),
    tags: [...user.tags],
    timezone: user.timezone ?? "",
  };
}

/** What has changed, as the service takes it: null clears a field. */
export function profileChanges(
  values: ProfileValues,
  changed: (name: keyof ProfileValues) => boolean,
): Partial<UpdateUserInput> {
  const changes: Partial<Record<keyof ProfileValues, unknown>> = {};
  for (const name of TEXT_FIELDS) {
    const text = name === "customData" ? values[name] : values[name].trim();
    if (changed(name)) changes[name] = text === "" ? null : text;
  }
  if (changed("tags")) changes.tags = values.tags;
  if (changed("timezone")) {
    changes.timezone = values.timezone === "" ? null : Number(values.timezone);
  }
  return changes as Partial<UpdateUserInput>;
}

/** An offset in minutes as hours and minutes, such as "+05:30". */
export function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${minutes < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
