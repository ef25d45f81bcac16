import type { Clock } from "../../core/clock";
import { VALUE_TTL_MS, VALUES_MAX, type Values } from "./values";

/** The values of a single node, in its memory. */
export class LocalValues implements Values {
  /** In the order in which they were set, so that the first one expires first. */
  private readonly values = new Map<string, { value: string; at: number }>();

  /** @param mustBeOpen throws the Fault UNAVAILABLE after the bus was closed */
  constructor(
    private readonly clock: Clock,
    private readonly mustBeOpen: () => void,
  ) {}

  async set(key: string, value: string): Promise<void> {
    this.mustBeOpen();
    this.store(key, value);
  }

  async get(key: string): Promise<string | undefined> {
    this.mustBeOpen();
    return this.find(key);
  }

  async setIfAbsent(key: string, value: string): Promise<string | undefined> {
    this.mustBeOpen();
    const existing = this.find(key);
    if (existing === undefined) this.store(key, value);
    return existing;
  }

  async deleteIf(key: string, value: string): Promise<void> {
    this.mustBeOpen();
    if (this.find(key) === value) this.values.delete(key);
  }

  clear(): void {
    this.values.clear();
  }

  private find(key: string): string | undefined {
    const found = this.values.get(key);
    return found && this.clock.now() - found.at <= VALUE_TTL_MS ? found.value : undefined;
  }

  private store(key: string, value: string): void {
    const now = this.clock.now();
    this.values.delete(key);
    this.values.set(key, { value, at: now });
    for (const [oldest, { at }] of this.values) {
      if (now - at <= VALUE_TTL_MS && this.values.size <= VALUES_MAX) break;
      this.values.delete(oldest);
    }
  }
}
