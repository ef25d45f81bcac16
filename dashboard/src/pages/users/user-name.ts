import { usersStrings } from "./strings.ts";

/** What a user is called: the name, else what they sign in with. */
export function userName({
  id,
  fullName,
  login,
  email,
}: {
  id: string;
  fullName?: string | null;
  login?: string | null;
  email?: string | null;
}): string {
  return fullName || login || email || usersStrings.unnamed(id);
}
