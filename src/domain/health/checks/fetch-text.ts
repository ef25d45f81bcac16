import { trimTrailingSlashes } from "../../../core/host-in-url";

const TIMEOUT_MS = 3_000;

/** Fetches a path of a server. @returns null if nothing answers */
export async function fetchText(
  url: string,
  path: string,
): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(`${trimTrailingSlashes(url)}/${path}`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}
