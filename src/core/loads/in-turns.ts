/**
 * Runs `act` for each item in order, up to `size` items in one turn of the event loop. What arrives meanwhile is handled
 * between two turns, so that a long list delays it by one slice and not by the whole list.
 * @throws what `act` throws; the remaining items are not visited
 */
export async function inTurns<T>(
  items: readonly T[],
  size: number,
  act: (item: T) => void,
): Promise<void> {
  for (let from = 0; from < items.length; from += size) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    for (const item of items.slice(from, from + size)) act(item);
  }
}
