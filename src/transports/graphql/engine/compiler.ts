import { compileQuery, isCompiledQuery } from "graphql-jit";
import type { Clock } from "../../../core/clock";
import type { Log } from "../../../core/log";
import { countInputs } from "./compilable";
import type { PreparedOperation } from "./prepared";

/** A client's operation is compiled at this number of uses. */
const COMPILE_AT = 3;
/**
 * Memory of compiled code in bytes, measured on Node 20 and rounded up: for each field and each input of a
 * variable, and for each character of the paths to them.
 */
const BYTES = { part: 6_000, character: 24 };
/** Maximum estimated size of a compiled operation, in bytes. The largest takes about 50 ms to compile. */
const OPERATION_BYTES_MAX = 3_000_000;
/**
 * Token bucket for compilation, in estimated bytes: burst, and refill per second, which is about 2% of a CPU.
 * Beyond it, operations run interpreted until the budget allows compiling them.
 */
const BUDGET = { burst: 16_000_000, perSecond: 1_000_000 };

/** Compiles frequent operations by graphql-jit, within a CPU budget. */
export class Compiler {
  private credit = BUDGET.burst;
  private creditAt: number;
  /** Estimated bytes of operations; some are requested repeatedly until the budget allows compiling. */
  private readonly estimates = new WeakMap<PreparedOperation, number>();

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.creditAt = clock.now();
  }

  /**
   * Counts a use of a client's operation. Compiles it if it is used often enough, is not too large, does not
   * read the schema, and fits the budget.
   * @returns whether this call compiled it
   */
  use(prepared: PreparedOperation): boolean {
    prepared.uses += 1;
    if (prepared.compiled || prepared.uses < COMPILE_AT || prepared.size.introspection)
      return false;
    const bytes = this.estimate(prepared);
    return bytes <= OPERATION_BYTES_MAX && this.spend(bytes) && this.compile(prepared);
  }

  /** Compiles an operation regardless of the budget, unless graphql-jit would run it differently. */
  compile(prepared: PreparedOperation): boolean {
    const bytes = this.estimate(prepared);
    if (bytes === Infinity) return false;
    const compiled = compileQuery(prepared.schema, prepared.document, prepared.operationName, {
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

  /** Drops the compiled form of an operation, which then runs interpreted. */
  discard(prepared: PreparedOperation): void {
    if (!prepared.compiled) return;
    prepared.compiled = null;
    prepared.bytes -= this.estimate(prepared);
  }

  private estimate(prepared: PreparedOperation): number {
    const known = this.estimates.get(prepared);
    if (known !== undefined) return known;
    const { schema, document, operation, size } = prepared;
    const inputs = countInputs(schema, document, operation);
    // The generated code of every nested input contains the variable's name.
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
    const earned = (Math.max(0, now - this.creditAt) / 1000) * BUDGET.perSecond;
    this.credit = Math.min(BUDGET.burst, this.credit + earned);
    this.creditAt = now;
    if (this.credit < bytes) return false;
    this.credit -= bytes;
    return true;
  }
}
