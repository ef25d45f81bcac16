import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Document } from "@signalbox/client";
import {
  buildSchema,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql";
import { makeServer } from "graphql-ws";
import { AsyncQueue } from "../../../../tools/async-queue";
import { socketTo } from "./fake-socket";

const SCHEMA = buildSchema(
  readFileSync(join(__dirname, "../../../../schema/schema.graphql"), "utf8"),
);

/** The id that the service gives every request. */
export const REQUEST_ID = "request-7";

/** An operation that a page has sent. */
export interface SentOperation {
  name: string;
  variables: unknown;
  token: string | null;
}

/** What an answer throws to be the service's refusal. */
export class Refusal extends GraphQLError {
  constructor(code: string, message: string, fields?: Record<string, string[]>) {
    super(message, { extensions: { code, ...(fields && { fields }) } });
  }
}

type Answer = (variables: never) => unknown;

/**
 * Stands in for the service behind `fetch` and `WebSocket`. It executes what a page sends against the schema of the
 * product, with the answers of the test as values: an operation, a variable or an answer that does not fit the schema is
 * a problem, and fails the test.
 */
export class FakeService {
  /** All operations in the order in which they were sent. */
  readonly sent: SentOperation[] = [];
  /** What no service would do, or no page should send. */
  readonly problems: string[] = [];
  readonly #answers = new Map<string, Answer>();
  readonly #streams = new Map<string, AsyncQueue<unknown>>();

  /** Answers an operation, from now on, with the value of a function of its variables. */
  answer<Result, Variables>(
    document: Document<Result, Variables>,
    answer: (variables: Variables) => Result | Promise<Result>,
  ): void {
    this.#answers.set(nameOf(document), answer as Answer);
  }

  /** Refuses an operation from now on. */
  refuse<Result, Variables>(document: Document<Result, Variables>, refusal: Refusal): void {
    this.answer(document, () => {
      throw refusal;
    });
  }

  /** Delivers a result to the subscription with these variables, also before the page subscribes. */
  deliver<Result, Variables>(
    document: Document<Result, Variables>,
    variables: Variables,
    result: Result,
  ): void {
    this.#stream(nameOf(document), variables).push(result);
  }

  /** The variables of each time that an operation was sent. */
  variablesOf<Result, Variables>(document: Document<Result, Variables>): Variables[] {
    const name = nameOf(document);
    return this.sent
      .filter((operation) => operation.name === name)
      .map(({ variables }) => variables as Variables);
  }

  /** In place of `fetch`. */
  readonly fetch = async (
    _url: unknown,
    { body, headers }: RequestInit = {},
  ): Promise<Response> => {
    const { query, variables } = JSON.parse(String(body));
    const token = new Headers(headers).get("svc-token");
    const prepared = this.#prepare(query, variables, token);
    const result = "schema" in prepared ? await this.#run(prepared) : { errors: prepared };
    return Response.json(result, { headers: { "x-request-id": REQUEST_ID } });
  };

  /** In place of the class `WebSocket`. */
  get WebSocket(): typeof WebSocket {
    const server = makeServer({
      onSubscribe: ({ connectionParams }, _id, { query, variables }) =>
        this.#prepare(query, variables, String(connectionParams?.token)),
    });
    return socketTo(server) as typeof WebSocket;
  }

  #stream(name: string, variables: unknown): AsyncQueue<unknown> {
    const key = `${name} ${JSON.stringify(variables)}`;
    const stream = this.#streams.get(key) ?? new AsyncQueue();
    this.#streams.set(key, stream);
    return stream;
  }

  #prepare(
    query: string,
    variables: unknown,
    token: string | null,
  ): ExecutionArgs | readonly GraphQLError[] {
    const document = parse(query);
    const operation = getOperationAST(document);
    const name = operation?.name?.value ?? "";
    this.sent.push({ name, variables, token });
    const errors = [...validate(SCHEMA, document), ...variableErrors(operation, variables)];
    if (errors.length > 0) {
      this.problems.push(...errors.map(({ message }) => `${name}: ${message}`));
      return errors;
    }
    const args = { schema: SCHEMA, document, variableValues: variables as never };
    if (operation?.operation !== "subscription") return { ...args, operationName: name };
    const [field] = operation.selectionSet.selections;
    const stream = this.#stream(name, variables);
    const source = async function* () {
      for (;;) yield await stream.next();
    };
    return { ...args, rootValue: { [(field as { name: { value: string } }).name.value]: source } };
  }

  async #run(prepared: ExecutionArgs): Promise<ExecutionResult> {
    const name = String(prepared.operationName);
    const answer = this.#answers.get(name);
    try {
      if (!answer) throw new Error("The test has no answer to it");
      const rootValue = await answer(prepared.variableValues as never);
      const result = await execute({ ...prepared, rootValue });
      for (const { message } of result.errors ?? []) this.problems.push(`${name}: ${message}`);
      return result;
    } catch (error) {
      if (error instanceof Refusal) return { errors: [error] };
      this.problems.push(`${name}: ${error}`);
      return { errors: [new GraphQLError(String(error))] };
    }
  }
}

function variableErrors(
  operation: OperationDefinitionNode | null | undefined,
  variables: unknown,
): readonly GraphQLError[] {
  const definitions = operation?.variableDefinitions ?? [];
  return getVariableValues(SCHEMA, definitions, (variables ?? {}) as never).errors ?? [];
}

function nameOf(document: string): string {
  return getOperationAST(parse(document))?.name?.value ?? "";
}
