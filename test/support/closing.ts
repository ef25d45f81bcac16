/**
 * For what tests of this file, or of this `describe`, open: it is closed after the test that opened it.
 * @returns hands on what it is given
 */
export function closedAfterEach<Opened extends { close(): unknown }>(): <T extends Opened>(
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
