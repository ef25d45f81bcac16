import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import { ownerToken } from "../../support/sessions/owner";
import { startFacebook, startKeys, startTwitter } from "../../support/sessions/providers";

const FACEBOOK = { appId: "4711", appSecret: "face-secret" };
// Characters that OAuth encodes differently from URLs.
const TWITTER = { consumerKey: "consumer!key*", consumerSecret: "consumer/secret+'()=&" };

let node: TestNode;
let owner: string;
let facebook: Awaited<ReturnType<typeof startFacebook>>;
let twitter: Awaited<ReturnType<typeof startTwitter>>;
let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  [node, facebook, twitter, keys] = await Promise.all([
    startNode({ ALLOW_PRIVATE_NETWORKS: "true" }),
    startFacebook(FACEBOOK),
    startTwitter(TWITTER),
    startKeys({ status: 200, body: { keys: [{ kid: "1" }] } }),
  ]);
  owner = await ownerToken(node);
});
afterAll(async () => {
  await node.stop();
  await Promise.all([facebook, twitter, keys].map((each) => each.close()));
});

const change = async (input: object) => {
  const { errors } = await graphql(
    node,
    "mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { id } } }",
    { input: { applicationId: String(node.application.id), ...input } },
    owner,
  );
  expect(errors).toBeUndefined();
};
const check = async (provider: string) => {
  const input = { applicationId: String(node.application.id), provider };
  const { data, errors } = await graphql(
    node,
    `mutation ($input: CheckProviderInput!) {
      checkProvider(input: $input) { provider outcome reason message } }`,
    { input },
    owner,
  );
  expect(errors).toBeUndefined();
  const text = JSON.stringify(data);
  for (const secret of ["face-secret", "consumer/secret", "wrong-secret"]) {
    expect(text).not.toContain(secret);
  }
  expect(data.checkProvider.provider).toBe(provider);
  return data.checkProvider;
};

it("says that nothing is set", async () => {
  for (const provider of ["FACEBOOK", "TWITTER", "FIREBASE_PHONE"]) {
    expect(await check(provider)).toMatchObject({
      outcome: "NOT_SET",
      reason: null,
      message: expect.stringMatching(/ is not set\.$/),
    });
  }
});

it("asks Facebook about the app id and the app secret", async () => {
  const location = { baseUrl: facebook.baseUrl, version: "v19.0" };
  await change({ facebook: { ...FACEBOOK, ...location } });
  expect(await check("FACEBOOK")).toMatchObject({
    outcome: "ACCEPTED",
    message: "Facebook accepts the app id and the app secret.",
  });
  expect(facebook.complaints).toEqual([]);
  await change({ facebook: { appSecret: "wrong-secret" } });
  expect(await check("FACEBOOK")).toMatchObject({
    outcome: "REFUSED",
    reason: "status 400",
    message: "Facebook refuses the app id and the app secret: they do not belong together.",
  });
  await change({ facebook: { ...FACEBOOK, version: "v1.0" } });
  expect(await check("FACEBOOK")).toMatchObject({
    outcome: "UNREACHABLE",
    message: expect.stringMatching(/^Facebook gave no answer .*: status 404\.$/),
  });
});

it("asks Twitter about the consumer key and the consumer secret", async () => {
  await change({ twitter: { ...TWITTER, baseUrl: twitter.baseUrl } });
  expect(await check("TWITTER")).toMatchObject({ outcome: "ACCEPTED", reason: null });
  expect([twitter.asked, twitter.complaints]).toEqual([["/oauth2/token"], []]);
  await change({ twitter: { consumerSecret: "wrong-secret" } });
  expect(await check("TWITTER")).toMatchObject({ outcome: "REFUSED", reason: "status 403" });
  await change({ twitter: { ...TWITTER, baseUrl: "http://127.0.0.1:1" } });
  expect(await check("TWITTER")).toMatchObject({ outcome: "UNREACHABLE" });
});

it("reads the keys that verify phone sign-ins", async () => {
  await change({ firebase: { projectId: "phones", keysUrl: keys.keysUrl } });
  expect(await check("FIREBASE_PHONE")).toMatchObject({ outcome: "ACCEPTED" });
  keys.publish({ status: 200, body: { keys: [] } });
  expect(await check("FIREBASE_PHONE")).toMatchObject({
    outcome: "UNREACHABLE",
    reason: "the key set is empty",
  });
});
