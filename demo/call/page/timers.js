/** Timers by name; setting a timer replaces the one with the same name. */
export class Timers {
  /** @type {Map<string, ReturnType<typeof setTimeout>>} */
  #running = new Map();

  /** @param {string} name @param {number} ms @param {() => void} act */
  set(name, ms, act) {
    this.stop(name);
    this.#running.set(name, setTimeout(act, ms));
  }

  /** @param {string[]} names all timers if empty */
  stop(...names) {
    for (const name of names.length > 0 ? names : [...this.#running.keys()]) {
      clearTimeout(this.#running.get(name));
      this.#running.delete(name);
    }
  }
}
