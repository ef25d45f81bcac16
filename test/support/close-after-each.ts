/**
 * Closes resources after the test of this file or `describe` that opened them.
 * @returns registers a resource and returns it
 */
export function closeAfterEach<Opened extends { close(): unknown }>(): <T extends Opened>(
  opened: T,
) => T {
  const open: Opened[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });
  return (opened) => {
    open.push(opened);
    return opened;
  };
}
