/** Jest's global teardown with services: stops them. */
module.exports = async () => {
  const child = globalThis[Symbol.for("signalbox.test.services")];
  if (!child.connected) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.disconnect();
  await ended;
};
