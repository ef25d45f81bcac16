import { Canary } from "./canary";
import type { Deployment } from "./deployment/deployment";
import type { LogWarning, NodeProcess } from "./deployment/node-process";
import { randomFor } from "./input/random";
import type { Options } from "./options";
import type { Property, TargetReport } from "./report";
import type { Case, Target } from "./targets/target";

/** Maximum growth of a node's memory after the warm-up, in bytes. */
const GROWTH_MAX = 96_000_000;
/** Number of requests whose case is remembered, to attribute log lines. */
const REQUESTS_MAX = 5_000;
/** Number of recent cases shown with violations that cannot be attributed to one case. */
const RECENT = 30;
/** Minimum number of cases per target, regardless of the time. */
const CASES_MIN = 20;
/** Fraction of a target's time that is warm-up. */
const WARM_UP = 0.25;
/** Maximum length of an input shown with a violation, in characters. */
const SHOWN = 3_000;
/** Maximum number of kinds of violations per target. */
const KINDS_MAX = 100;

/** Runs the cases of targets on one deployment, and checks the properties. */
export class Runner {
  private report: TargetReport | null = null;
  private readonly requests = new Map<string, string>();
  private recent: number[] = [];
  private underway = new Set<number>();
  private canary: Canary | null = null;
  private allowed: RegExp | undefined;

  constructor(
    private readonly deployment: Deployment,
    private readonly options: Options,
  ) {}

  /** Starts the canary. */
  async begin(): Promise<void> {
    this.canary = await Canary.start(this.deployment, (text) => this.violate("canary", text));
  }

  end = async (): Promise<void> => this.canary?.stop();

  /** Handles a log line above `info`. */
  logWarning({ text, requestId }: LogWarning): void {
    if (this.allowed?.test(text)) return;
    const cause = requestId === undefined ? undefined : this.requests.get(requestId);
    this.violate("log", `${text}\n    ${cause ?? this.around()}`);
  }

  /** Runs a target for a number of seconds. */
  async run(target: Target, seconds: number): Promise<TargetReport> {
    const { deployment, options } = this;
    const report: TargetReport = {
      name: `${target.name} on ${deployment.name}`,
      inputs: 0,
      cases: 0,
      seconds: 0,
      outcomes: new Map(),
      stalledMs: 0,
      busyMs: 0,
      roundMs: 0,
      memory: [0, 0],
      violations: new Map(),
    };
    this.report = report;
    this.allowed = target.allowed;
    this.recent = [];
    await target.prepare?.(deployment);
    await this.measure(report);
    [report.stalledMs, report.busyMs] = [0, 0];
    this.canary?.slowest();
    const begun = performance.now();
    let next = options.from;
    const turn = async (share: number) => {
      const workers = Array.from({ length: target.concurrency }, async () => {
        while (this.goesOn(report, begun, seconds * share, share) && next < this.last()) {
          await this.runCase(target, report, next++);
        }
      });
      await Promise.all(workers);
      return this.measure(report);
    };
    const before = await turn(WARM_UP);
    const after = await turn(1);
    await target.finish?.();
    this.evaluate(report, before, after);
    report.seconds = (performance.now() - begun) / 1000;
    report.roundMs = this.canary?.slowest() ?? 0;
    return report;
  }

  private last = () => this.options.from + this.options.cases;

  private goesOn(report: TargetReport, begun: number, seconds: number, share: number): boolean {
    if (this.nodes().some((node) => node.exitReason() !== null)) return false;
    const { inputs } = this.options;
    if (inputs !== null) return report.inputs < inputs * share;
    // On a machine that stalls for seconds, a target must not pass without running cases.
    return report.cases < CASES_MIN || performance.now() - begun < seconds * 1000;
  }

  private nodes = (): NodeProcess[] => [...this.deployment.nodes, this.deployment.component.node];

  private async runCase(target: Target, report: TargetReport, number: number): Promise<void> {
    const { deployment, options } = this;
    const sent: string[] = [];
    const again = `npm run fuzz -- --seed ${options.seed} --target ${target.name} --on ${deployment.name} --from ${number} --cases 1`;
    const describe = () => `again: ${again}\n    sent: ${sent.join("\n    sent: ").slice(-SHOWN)}`;
    const each: Case = {
      random: randomFor(options.seed, target.name, number),
      number,
      deployment,
      sent: (input) => {
        report.inputs += 1;
        sent.push(JSON.stringify(String(input).slice(0, SHOWN)));
        if (sent.length > 20) sent.shift();
      },
      outcome: (words) => void report.outcomes.set(words, (report.outcomes.get(words) ?? 0) + 1),
      violation: (text) => this.violate("answers", `${text}\n    ${describe()}`),
      request: (id) => this.remember(id, describe),
    };
    this.underway.add(number);
    try {
      await target.run(each);
    } catch (error) {
      const ended = this.nodes().find((node) => node.exitReason() !== null);
      const text = ended?.exitReason() ?? `the driver failed: ${(error as Error).stack}`;
      each.violation(text);
    }
    report.cases += 1;
    this.underway.delete(number);
    this.recent.push(number);
    if (this.recent.length > RECENT) this.recent.shift();
  }

  private remember(id: string, describe: () => string): void {
    this.requests.set(id, describe());
    if (this.requests.size <= REQUESTS_MAX) return;
    const [first] = this.requests.keys();
    if (first !== undefined) this.requests.delete(first);
  }

  private around(): string {
    return `cases under way: ${[...this.underway].join(" ")}; just ended: ${this.recent.join(" ")}`;
  }

  private violate(property: Property, text: string): void {
    const violations = this.report?.violations;
    if (!violations) return;
    const kind = kindOf(text);
    const known = violations.get(kind);
    if (known) known.count += 1;
    else if (violations.size < KINDS_MAX) violations.set(kind, { property, text, count: 1 });
  }

  /** Measures the memory of each node, and adds event loop delays to the report. */
  private async measure(report: TargetReport): Promise<number[]> {
    const found: number[] = [];
    for (const node of this.nodes()) {
      const ended = node.exitReason();
      if (ended !== null) {
        this.violate("canary", `${ended}; ${this.around()}`);
        found.push(0);
        continue;
      }
      const { memory, stalledMs, busyMs } = await node.measure();
      report.stalledMs = Math.max(report.stalledMs, stalledMs);
      report.busyMs = Math.max(report.busyMs, busyMs);
      found.push(memory);
    }
    return found;
  }

  private evaluate(report: TargetReport, before: number[], after: number[]): void {
    const { hangMs } = this.options;
    if (report.busyMs > hangMs) {
      const text = `an event loop was blocked for ${report.busyMs.toFixed(0)} ms of CPU time (limit ${hangMs})`;
      this.violate("hang", text);
    }
    const nodes = after.map((bytes, place): [number, number] => [before[place] ?? 0, bytes]);
    const [most] = nodes.sort(([a, b], [c, d]) => d - c - (b - a));
    if (most) report.memory = most;
    const [start, end] = report.memory;
    if (end - start > GROWTH_MAX) {
      this.violate("memory", `a node grew from ${start} to ${end} bytes`);
    }
  }
}

/** Groups violations of one cause: the first line, without numbers, ids and times. */
const kindOf = (text: string): string =>
  (text.split("\n")[0] ?? "")
    .replace(/"(time|requestId)":("[^"]*"|\d+),?/g, "")
    .replace(/\d+/g, "0")
    .slice(0, 160);
