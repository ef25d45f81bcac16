import type { GraphQLSchema } from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import type { Clock } from "../../core/clock";
import type { Log } from "../../core/log";
import { countInputs } from "./compilable";
import type { Prepared } from "./prepared";

/** Uses after which an operation of a client is worth compiling. */
const COMPILE_AT = 3;
/**
 * What graphql-jit keeps, measured on Node 20 and rounded up: for each field and each input of a variable,
 * and for each character on the way to them.
 */
const BYTES = { part: 6_000, character: 24 };
/** Bytes, by the same estimate, that one compiled operation may keep. The largest takes some 50 ms to compile. */
const OPERATION_BYTES = 3_000_000;
/**
 * Bytes that may be compiled at once, and for each second: about 2% of a processor. What comes beyond
 * runs without being compiled until its turn comes.
 */
const BUDGET = { most: 16_000_000, eachSecond: 1_000_000 };

/** Compiles operations by graphql-jit where that is worth it, within a budget over time. */
export class Compiler {
  private credit = BUDGET.most;
  private creditAt: number;
  /** What operations would keep. Some are asked about again and again until the budget allows them. */
  private readonly estimates = new WeakMap<Prepared, number>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.creditAt = clock.now();
  }

  /**
   * Counts a use of a client's operation, and compiles it when it came often enough, is not too large and
   * does not read the schema, if the budget allows it by now.
   * @returns whether it was compiled by this use
   */
  use(prepared: Prepared): boolean {
    prepared.uses += 1;
    if (prepared.compiled || prepared.uses < COMPILE_AT || prepared.size.introspection)
      return false;
    const bytes = this.estimate(prepared);
    return bytes <= OPERATION_BYTES && this.spend(bytes) && this.compile(prepared);
  }

  /** Compiles an operation whatever it takes, unless it would run differently. */
  compile(prepared: Prepared): boolean {
    const bytes = this.estimate(prepared);
    if (bytes === Infinity) return false;
    const compiled = compileQuery(this.schema, prepared.document, prepared.operationName, {
      disablingCapturingStackErrors: true,
    });
    if (!isCompiledQuery(compiled)) {
      this.estimates.set(prepared, Infinity);
      this.log.info({ errors: compiled.errors }, "an operation could not be compiled");
      return false;
    }
    prepared.compiled = compiled;
    prepared.bytes += bytes;
    return true;
  }

  /** Gives up the compiled form of an operation, which then runs without it. */
  discard(prepared: Prepared): void {
    if (!prepared.compiled) return;
    prepared.compiled = null;
    prepared.bytes -= this.estimate(prepared);
  }

  private estimate(prepared: Prepared): number {
    const known = this.estimates.get(prepared);
    if (known !== undefined) return known;
    const { document, operation, size } = prepared;
    const inputs = countInputs(this.schema, document, operation);
    // The name of a variable stands in the code of all that is in it.
    const variables = (operation.variableDefinitions ?? []).reduce(
      (longest, { variable }) => Math.max(longest, variable.name.value.length),
      0,
    );
    const bytes =
      BYTES.part * (size.fields + inputs) +
      BYTES.character * (size.characters + inputs * variables);
    this.estimates.set(prepared, bytes);
    return bytes;
  }

  private spend(bytes: number): boolean {
    const now = this.clock.now();
    const earned = (Math.max(0, now - this.creditAt) / 1000) * BUDGET.eachSecond;
    this.credit = Math.min(BUDGET.most, this.credit + earned);
    this.creditAt = now;
    if (this.credit < bytes) return false;
    this.credit -= bytes;
    return true;
  }
}
