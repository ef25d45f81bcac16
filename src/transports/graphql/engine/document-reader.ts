import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  specifiedRules,
  type ValidationRule,
  validate,
} from "graphql";
import { Fault } from "../../../core/errors";
import type { Log } from "../../../core/log";
import { documentError, faultError, syntaxFault } from "./error";
import { type DocumentLimits, limitRules } from "./limits";
import { type PreparedOperation, prepareOperation } from "./prepared";

/** Maximum number of reported errors of a document. */
const MAX_ERRORS = 10;

/** A document was refused before execution. */
export class DocumentRefused extends Error {
  override readonly name = "DocumentRefused";
  constructor(readonly errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
  }
}

/** Parses and validates clients' documents, within the limits. */
export class DocumentReader {
  private readonly rules: ValidationRule[];

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly limits: DocumentLimits,
    private readonly log: Log,
  ) {
    this.rules = limitRules(limits);
  }

  /** @throws DocumentRefused, and nothing else, for any document */
  read(text: string, name: string | undefined): PreparedOperation {
    try {
      const document = this.check(text);
      const operation = getOperationAST(document, name);
      if (operation) return prepareOperation(this.schema, document, operation);
    } catch (error) {
      if (error instanceof DocumentRefused) throw error;
      // The parser and the rules recurse by nesting and by fragment spreads, and may overflow the stack.
      const fault =
        error instanceof RangeError
          ? new Fault("TOO_LARGE", "The document nests too deeply")
          : new Fault("MALFORMED", "The document is not valid");
      this.log.info({ err: error }, "a document could not be read");
      throw new DocumentRefused([faultError(fault)]);
    }
    const message = name
      ? "The document has no operation of this name"
      : "operationName is required for a document with several operations";
    throw new DocumentRefused([faultError(new Fault("MALFORMED", message))]);
  }

  private check(text: string): DocumentNode {
    const { INTROSPECTION, GRAPHQL_MAX_TOKENS } = this.limits;
    const refuse = (errors: readonly GraphQLError[]) => {
      throw new DocumentRefused(errors.map(documentError));
    };
    // Suggestions of similar names would leak a hidden schema bit by bit.
    const hideSuggestions = !INTROSPECTION;
    const document = this.parse(text, GRAPHQL_MAX_TOKENS);
    const excess = validate(this.schema, document, this.rules, { maxErrors: 1 });
    if (excess.length > 0) refuse(excess.slice(0, 1));
    const errors = validate(this.schema, document, specifiedRules, {
      maxErrors: MAX_ERRORS,
      hideSuggestions,
    });
    if (errors.length > 0) refuse(errors);
    return document;
  }

  private parse(text: string, maxTokens: number): DocumentNode {
    try {
      return parse(text, { maxTokens });
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      throw new DocumentRefused([faultError(syntaxFault(error.message), error)]);
    }
  }
}
