import { setFlagsFromString } from "node:v8";

/** V8's factor by which the young generation grows when enough objects have survived a collection. */
const GROWTH_FACTOR = 2;

/*
 * What a start loads survives, so V8 would grow the young generation to its maximum, 32 MB, and not shrink it again while
 * the service is idle. V8 reads this flag whenever it decides about the growth.
 */
setFlagsFromString("--semi-space-growth-factor=1");

/**
 * Lets the young generation grow as the load requires. Call once the service is ready; until then, this module keeps it
 * at its first size. Must be imported before the modules that it saves the memory of.
 */
export function letYoungGenerationGrow(): void {
  setFlagsFromString(`--semi-space-growth-factor=${GROWTH_FACTOR}`);
}
