import type { Clock } from "../../core/clock";
import type { Log } from "../../core/log";
import type { Store } from "../../platform/store/store";
import { writeApiKeyUses } from "./api-key-queries";
import type { ApiKeyDeps } from "./api-keys";

/** Interval between two writes of last uses, in milliseconds. */
const FLUSH_INTERVAL_MS = 3_000;

/** The open module. */
export interface ApiKeyModule extends ApiKeyDeps {
  /** Writes the last uses. */
  close(): Promise<void>;
}

/** Opens the API keys, and starts to write periodically when they were used. */
export function openApiKeys(deps: Omit<ApiKeyDeps, "uses"> & { log: Log }): ApiKeyModule {
  const uses = new ApiKeyUses(deps);
  return { ...deps, uses, close: () => uses.close() };
}

/**
 * Write-behind buffer of the last uses of API keys: requests do not write, and of many requests in a few seconds one time
 * is stored. A killed process loses only those seconds.
 */
export class ApiKeyUses {
  private uses = new Map<number, number>();
  private writing: Promise<void> = Promise.resolve();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly deps: { store: Store; clock: Clock; log: Log }) {
    this.timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS);
    this.timer.unref();
  }

  /** Records a use now. */
  record(id: number): void {
    this.uses.set(id, this.deps.clock.now());
  }

  /** Stores the recorded uses. If that fails, they are stored with the next ones. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  /** Stops the timer and stores the recorded uses. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async write(): Promise<void> {
    if (this.uses.size === 0) return;
    const written = this.uses;
    this.uses = new Map();
    const ids = [...written.keys()].sort((a, b) => a - b);
    try {
      await writeApiKeyUses(this.deps.store, [ids, ids.map((id) => written.get(id)!)]);
    } catch (error) {
      this.uses = new Map([...written, ...this.uses]);
      this.deps.log.warn({ err: error }, "the last uses of API keys could not be written");
    }
  }
}
