import { GraphQLError } from "graphql";
import { ERRORS, type ErrorCode, Fault, NO_SESSION, toFault } from "../../src/core/errors";
import { openLog } from "../../src/core/log";
import { toGraphQLError } from "../../src/transports/graphql/engine/error";
import { errorBody, toWireNames } from "../../src/transports/rest/error";

/** The public contract: code, HTTP status, stanza error condition and type. */
const TABLE: Array<[code: ErrorCode, http: number, condition: string, type: string]> = [
  ["MALFORMED", 400, "bad-request", "modify"],
  ["UNAUTHENTICATED", 401, "not-authorized", "auth"],
  ["FORBIDDEN", 403, "forbidden", "auth"],
  ["NOT_FOUND", 404, "item-not-found", "cancel"],
  ["CONFLICT", 409, "conflict", "cancel"],
  ["FULL", 409, "resource-constraint", "wait"],
  ["TOO_LARGE", 413, "policy-violation", "modify"],
  ["INVALID", 422, "not-acceptable", "modify"],
  ["LIMITED", 429, "resource-constraint", "wait"],
  ["INTERNAL", 500, "internal-server-error", "cancel"],
  ["UNSUPPORTED", 501, "feature-not-implemented", "cancel"],
  ["UNAVAILABLE", 503, "remote-server-timeout", "wait"],
];

const log = openLog("silent");

test("there are exactly these codes", () => {
  expect(Object.keys(ERRORS)).toEqual(TABLE.map(([code]) => code));
});

test.each(TABLE)("%s is %i, %s / %s", (code, http, condition, type) => {
  expect(ERRORS[code]).toEqual({ http, condition, type });
});

test.each(TABLE)("%s keeps its code in GraphQL and its message in REST", (code) => {
  const fault = new Fault(code, "what was wrong", { fullName: ["is wrong"] }, 3);
  const error = toGraphQLError(new GraphQLError("x", { originalError: fault }), log, "request");
  expect(error.message).toBe("what was wrong");
  expect(error.extensions).toEqual({ code, fields: { fullName: ["is wrong"] }, retryAfter: 3 });
  expect(error.originalError).toBe(fault);
  const wire = toWireNames(fault, new Map([["fullName", "full_name"]]));
  expect(errorBody(wire)).toEqual({ errors: { full_name: ["is wrong"] } });
  expect(errorBody(new Fault(code, "what was wrong"))).toEqual({
    errors: { base: ["what was wrong"] },
  });
});

describe("a fault", () => {
  test("of a field is INVALID with the field's name", () => {
    const fault = Fault.field("login", "has already been taken");
    expect(fault).toBeInstanceOf(Error);
    expect([fault.code, fault.message, fault.fields]).toEqual([
      "INVALID",
      "login has already been taken",
      { login: ["has already been taken"] },
    ]);
  });

  test("may have another text for REST, with the names of the wire", () => {
    const field = Fault.field("fullName", "needs startWith", "needs start_with");
    expect([field.message, field.fields]).toEqual([
      "fullName needs startWith",
      { fullName: ["needs startWith"] },
    ]);
    const within = field.within("user.");
    expect([within.message, within.fields]).toEqual([
      "user.fullName needs startWith",
      { "user.fullName": ["needs startWith"] },
    ]);
    for (const fault of [field, within]) {
      const error = toGraphQLError(new GraphQLError("x", { originalError: fault }), log, "r");
      expect(error.extensions).toEqual({ code: "INVALID", fields: fault.fields });
      expect(errorBody(toWireNames(fault, new Map()))).toEqual({
        errors: { [fault === field ? "full_name" : "user"]: ["needs start_with"] },
      });
    }
  });

  test("of the whole request has its message under base", () => {
    const fault = Fault.base("usersPage is disabled", "/users is disabled", "FORBIDDEN");
    expect([fault.code, fault.message, fault.fields]).toEqual([
      "FORBIDDEN",
      "usersPage is disabled",
      { base: ["usersPage is disabled"] },
    ]);
    const rest = { errors: { base: ["/users is disabled"] } };
    expect([errorBody(fault), errorBody(toWireNames(fault, new Map()))]).toEqual([rest, rest]);
    expect(Fault.base("the same").restFields).toBeUndefined();
    expect(Fault.base("the same").code).toBe("INVALID");
  });

  test("of the session has the message that clients compare", () => {
    expect(NO_SESSION).toBe("Required session does not exist");
    const fault = Fault.noSession();
    expect([fault.code, errorBody(fault)]).toEqual([
      "UNAUTHENTICATED",
      { errors: { base: ["Required session does not exist"] } },
    ]);
  });

  test("is returned unchanged", () => {
    const fault = new Fault("FULL", "text");
    expect(toFault(fault)).toBe(fault);
  });
});

describe("any other error is masked", () => {
  test.each([
    ["an error", new Error("SELECT secret FROM users")],
    ["a type error", new TypeError("cannot read properties of undefined")],
    ["an object with a code", { code: "NOT_FOUND", message: "SELECT secret" }],
    ["text", "SELECT secret"],
    ["nothing", undefined],
    ["null", null],
  ])("%s", (_what, thrown) => {
    const fault = toFault(thrown);
    expect([fault.code, fault.message, fault.fields]).toEqual([
      "INTERNAL",
      "Internal server error",
      undefined,
    ]);
    expect(JSON.stringify(errorBody(fault))).not.toMatch(/secret|undefined/);
  });

  test("in GraphQL too, without its message and cause", () => {
    const cause = new Error("SELECT secret FROM users");
    const error = toGraphQLError(
      new GraphQLError(cause.message, { originalError: cause }),
      log,
      "r",
    );
    expect(error.message).toBe("Internal server error");
    expect(error.extensions).toEqual({ code: "INTERNAL" });
    expect(JSON.stringify(error)).not.toContain("secret");
  });
});
