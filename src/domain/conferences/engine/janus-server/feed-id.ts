import type { Feed } from "../engine";

const SCREEN = "-screen";

/** The id of a feed's publisher at Janus: the participant's number, and `-screen` for a shared screen. */
export const feedIdOf = ({ participant, source }: Feed): string =>
  source === "screen" ? `${participant}${SCREEN}` : `${participant}`;

/** The feed of an id at Janus; null for another participant's. */
export function feedOfId(id: string): Feed | null {
  const screen = id.endsWith(SCREEN);
  const number = screen ? id.slice(0, -SCREEN.length) : id;
  if (!/^[1-9]\d{0,15}$/.test(number)) return null;
  return { participant: Number(number), source: screen ? "screen" : "main" };
}
