import type { Document } from "@signalbox/client";
import {
  BlockUserDocument,
  UnblockUserDocument,
} from "../../dashboard/src/pages/users/user/user.generated.ts";
import { FakeService, Refusal } from "../support/dashboard/components/fake-service.ts";

/** The service of component tests holds pages and tests to the schema. */

/** Sends an operation, and returns what the service says of it. */
async function send(service: FakeService, query: string, variables: object) {
  const response = await service.fetch("/graphql", {
    body: JSON.stringify({ query, variables }),
  });
  const { errors } = await response.json();
  return { errors: errors?.length ?? 0, problems: service.problems };
}

const INPUT = { applicationId: "7", userId: "41" };
const UNKNOWN_FIELD = "query Broken { account { colour } }" as Document<unknown, object>;

it.each([
  ["an operation", UNKNOWN_FIELD, {}, /^Broken: Cannot query field "colour"/],
  ["a variable", UnblockUserDocument, { input: { userId: "41" } }, /"applicationId"/],
  ["an answer", UnblockUserDocument, { input: INPUT }, /Cannot return null for non-nullable/],
  ["an operation without an answer", BlockUserDocument, { input: INPUT }, /no answer/],
])("%s that does not fit is a problem", async (_what, document, variables, problem) => {
  const service = new FakeService();
  service.answer(UnblockUserDocument, () => ({ unblockUser: {} }) as never);
  expect(await send(service, document, variables)).toEqual({
    errors: 1,
    problems: [expect.stringMatching(problem)],
  });
});

it("a refusal is none", async () => {
  const service = new FakeService();
  service.refuse(UnblockUserDocument, new Refusal("FORBIDDEN", "No"));
  expect(await send(service, UnblockUserDocument, { input: INPUT })).toEqual({
    errors: 1,
    problems: [],
  });
});
