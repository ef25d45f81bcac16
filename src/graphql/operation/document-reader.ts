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
import { Fault } from "../../core/errors";
import type { Log } from "../../core/log";
import { documentError, faultError, syntaxFault } from "../error";
import { type Limits, limitRules } from "../limits";
import { type Prepared, prepareOperation } from "./prepared";

/** Mistakes of one document that are told at most. */
const MAX_ERRORS = 10;

/** Refused before it ran: the mistakes of a document. */
export class DocumentRefused extends Error {
  override readonly name = "DocumentRefused";
  constructor(readonly errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
  }
}

/** Parses and validates documents of clients, within the limits. */
export class DocumentReader {
  private readonly rules: ValidationRule[];

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly limits: Limits,
    private readonly log: Log,
  ) {
    this.rules = limitRules(limits);
  }

  /** @throws DocumentRefused, and nothing else, whatever a document does to those who read it */
  read(text: string, name: string | undefined): Prepared {
    try {
      const document = this.check(text);
      const operation = getOperationAST(document, name);
      if (operation) return prepareOperation(this.schema, document, operation);
    } catch (error) {
      if (error instanceof DocumentRefused) throw error;
      // They recurse as deep as a document nests, and through as many fragments as spread each other.
      const fault =
        error instanceof RangeError
          ? new Fault("TOO_LARGE", "The document nests too deeply")
          : new Fault("MALFORMED", "The document is not valid");
      this.log.info({ err: error }, "a document could not be read");
      throw new DocumentRefused([faultError(fault)]);
    }
    const message = name
      ? "The document has no operation of this name"
      : "Say which operation of the document to run (operationName)";
    throw new DocumentRefused([faultError(new Fault("MALFORMED", message))]);
  }

  private check(text: string): DocumentNode {
    const { INTROSPECTION, GRAPHQL_MAX_TOKENS } = this.limits;
    const refuse = (errors: readonly GraphQLError[]) => {
      throw new DocumentRefused(errors.map(documentError));
    };
    // Near names would tell the schema bit by bit.
    const hideSuggestions = !INTROSPECTION;
    const document = this.parse(text, GRAPHQL_MAX_TOKENS);
    const excess = validate(this.schema, document, this.rules, { maxErrors: 1 });
    if (excess.length > 0) refuse(excess.slice(0, 1));
    const mistakes = validate(this.schema, document, specifiedRules, {
      maxErrors: MAX_ERRORS,
      hideSuggestions,
    });
    if (mistakes.length > 0) refuse(mistakes);
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
