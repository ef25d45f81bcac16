import { strings } from "../strings.ts";

const texts = strings.sessionOrigin;

/** What created a session, as lists of sessions show it. */
export function sessionOriginOf({
  origin,
  apiKey,
}: {
  origin: keyof typeof texts.names;
  apiKey?: { id: string; name?: string | null } | null;
}): string {
  if (!apiKey) return texts.names[origin];
  return apiKey.name ? texts.apiKey(apiKey.name) : texts.revokedKey(apiKey.id);
}
