import { inspect } from "node:util";
import { cert, type ServiceAccount } from "firebase-admin/app";
import { openFcmCredential } from "../../src/domain/push/providers/fcm/fcm-credential";
import { newServiceKey } from "../../tools/stand-ins/stored-keys";

/** @own-modules Reads a table of firebase-admin, which would be that of another copy. */

const account = () => ({
  projectId: "example-project",
  clientEmail: "push@example-project.iam.gserviceaccount.com",
  privateKey: newServiceKey(),
});
const grant = (token: string, expiresIn = 3600) =>
  new Response(JSON.stringify({ access_token: token, expires_in: expiresIn }));

test("a credential sends one form for concurrent callers, by the given function only", async () => {
  const forms: URLSearchParams[] = [];
  const credential = await openFcmCredential(account(), async (form) => {
    forms.push(new URLSearchParams(form));
    return grant("token");
  });
  const tokens = await Promise.all(Array.from({ length: 5 }, () => credential.getAccessToken()));
  expect(tokens).toEqual(Array(5).fill("token"));
  expect(forms.map((form) => [...form.keys()])).toEqual([["grant_type", "assertion"]]);
});

test("credentials of one account have tokens of their own", async () => {
  const shared = account();
  const first = await openFcmCredential(shared, async () => grant("first"));
  const second = await openFcmCredential(shared, async () => grant("second"));
  expect(await first.getAccessToken()).toBe("first");
  expect(await second.getAccessToken()).toBe("second");
});

test("a request that fails is not repeated, and its error is the cause", async () => {
  const failure = new Error("no connection");
  let requests = 0;
  const credential = await openFcmCredential(account(), async () => {
    requests++;
    throw failure;
  });
  await expect(credential.getAccessToken()).rejects.toMatchObject({ cause: failure });
  expect(requests).toBe(1);
});

describe("a forgotten credential", () => {
  const open = async (token: string) => {
    const given = account();
    const credential = await openFcmCredential(given, async () => grant(token));
    expect(await credential.getAccessToken()).toBe(token);
    return { credential, secrets: [given.privateKey.split("\n")[1]!, token] };
  };
  /** The package's table, as text. Its keys are numbers; one that is not in use would be refused. */
  const table = () => {
    const found: unknown[] = [];
    try {
      for (let key = 1; ; key++) found.push(cert({ toJSON: () => key } as ServiceAccount));
    } catch {
      const text = inspect(found, { depth: 20, showHidden: true, maxStringLength: null });
      return { size: found.length, text };
    }
  };

  test("leaves no private key and no token in the package's table", async () => {
    const { credential, secrets } = await open("one-token");
    for (const secret of secrets) expect(table().text).toContain(secret);
    credential.forget();
    for (const secret of secrets) expect(table().text).not.toContain(secret);
  });

  test("leaves its entry in the table to the next one", async () => {
    const { size } = table();
    for (let count = 0; count < 5; count++) (await open(`token-${count}`)).credential.forget();
    expect(table().size).toBe(size);
  });
});
