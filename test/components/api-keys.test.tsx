import { screen, within } from "@testing-library/react";
import {
  ApiKeysDocument,
  type ApiKeysQuery,
  CreateApiKeyDocument,
  RevokeApiKeyDocument,
} from "../../dashboard/src/pages/applications/api-keys.generated.ts";
import {
  ApplicationSessionsDocument,
  ApplicationSettingsDocument,
  type SettingsFieldsFragment,
} from "../../dashboard/src/pages/applications/application.generated.ts";
import { FakeService, Refusal } from "../support/dashboard/components/fake-service.ts";
import { openPage } from "../support/dashboard/components/open-page.tsx";

/** The API keys of an application: created, shown once, listed and revoked. */

type ApiKey = ApiKeysQuery["application"]["apiKeys"][number];

const PATH = "/applications/7/settings?tab=keys";
const KEY = `sbk_${"k".repeat(43)}`;
const SETTINGS: SettingsFieldsFragment = {
  ...{ id: "7", name: "Shop", authKey: "auth-key", accountKey: "account-key" },
  ...{ previousSecretValidUntil: null, v1ListDisabled: true, signUpOpen: true },
  ...{ emailNeedsPassword: false, pushSenders: "USERS", answeredElsewhere: false },
  ...{ newCallsPerMinute: null, incomingCallPush: false, incomingCallPushDelaySeconds: 10 },
  ...{ callEndPush: true, callEndVoip: false, missedCallPush: false, missedCallBadge: false },
  ...{ incomingCallPushEnvironment: "PRODUCTION", conferencesOnJoin: true, webOrigins: [] },
  serverSessionsCreateUsers: false,
  serverSessionsReachSignedUpUsers: false,
};
const BACKEND: ApiKey = {
  ...{ id: "3", name: "backend", scopes: ["SESSIONS", "PUSH"], expiresAt: "2020-01-31T12:00:00Z" },
  ...{ createdBy: "ann@team.example", createdAt: "2019-01-02T08:00:00Z" },
  lastUsedAt: null,
};

function serviceWith(...present: ApiKey[]): FakeService {
  const service = new FakeService();
  let apiKeys = present;
  service.answer(ApplicationSettingsDocument, () => ({ application: SETTINGS }));
  service.answer(ApiKeysDocument, () => ({ application: { id: "7", apiKeys } }));
  service.answer(CreateApiKeyDocument, ({ input: { name, scopes, expiresAt } }) => {
    const all = Array.isArray(scopes) ? scopes : [scopes];
    const expiry = typeof expiresAt === "string" ? expiresAt : null;
    const apiKey: ApiKey = { ...BACKEND, id: "4", name, scopes: all, expiresAt: expiry };
    apiKeys = [...apiKeys, apiKey];
    return { createApiKey: { key: KEY, apiKey } };
  });
  service.answer(RevokeApiKeyDocument, ({ input: { id, endSessions } }) => {
    apiKeys = apiKeys.filter((each) => each.id !== id);
    return { revokeApiKey: { revokedApiKeyId: id, endedSessionCount: endSessions ? 2 : null } };
  });
  return service;
}

it("lists what each key may do and when it ends", async () => {
  openPage(serviceWith(BACKEND), PATH);
  const list = await screen.findByRole("group", { name: "API keys" });
  within(list).getByText("backend");
  within(list).getByText("Sessions, Push");
  within(list).getByText(/^expired on /);
  within(list).getByText("ann@team.example");
});

it("a new key is shown once, and is gone when the dialog is closed", async () => {
  const service = serviceWith();
  const user = openPage(service, PATH);
  await screen.findByText("No API keys");
  await user.click(screen.getByRole("button", { name: "New API key …" }));
  const dialog = await screen.findByRole("dialog", { name: "New API key" });
  await user.click(within(dialog).getByRole("button", { name: "Create" }));
  within(dialog).getByText("Enter a name.");
  within(dialog).getByText("Choose at least one.");
  expect(service.variablesOf(CreateApiKeyDocument)).toEqual([]);
  await user.type(within(dialog).getByRole("textbox", { name: /^Name/ }), " shop ");
  await user.click(within(dialog).getByRole("checkbox", { name: "Sessions" }));
  await user.click(within(dialog).getByRole("button", { name: "Create" }));
  await within(dialog).findByText(KEY);
  expect(service.variablesOf(CreateApiKeyDocument)).toEqual([
    { input: { applicationId: "7", name: "shop", scopes: ["SESSIONS"], expiresAt: null } },
  ]);
  const [close] = within(dialog).getAllByRole("button", { name: "Close" }).slice(-1);
  if (close) await user.click(close);
  await within(await screen.findByRole("group", { name: "API keys" })).findByText("shop");
  expect(document.body.textContent).not.toContain(KEY);
});

it("a name that is taken is said at its field, and what was typed stays", async () => {
  const service = serviceWith(BACKEND);
  const problem = { name: ["has already been taken"] };
  service.refuse(
    CreateApiKeyDocument,
    new Refusal("INVALID", "name has already been taken", problem),
  );
  const user = openPage(service, PATH);
  await user.click(await screen.findByRole("button", { name: "New API key …" }));
  const dialog = await screen.findByRole("dialog");
  const name = within(dialog).getByRole<HTMLInputElement>("textbox", { name: /^Name/ });
  await user.type(name, "backend");
  await user.click(within(dialog).getByRole("checkbox", { name: "Push" }));
  await user.click(within(dialog).getByRole("button", { name: "Create" }));
  await within(dialog).findByText(/already been taken/);
  expect(name.value).toBe("backend");
});

it("a key is revoked after its effects are said", async () => {
  const service = serviceWith(BACKEND);
  const user = openPage(service, PATH);
  await user.click(await screen.findByRole("button", { name: "Revoke backend …" }));
  const dialog = await screen.findByRole("dialog", { name: "Revoke the API key" });
  within(dialog).getByText(/Every backend that uses backend is refused/);
  expect(service.variablesOf(RevokeApiKeyDocument)).toEqual([]);
  await user.click(within(dialog).getByRole("button", { name: "Revoke" }));
  await screen.findByText("backend is revoked.");
  await screen.findByText("No API keys");
  expect(service.variablesOf(RevokeApiKeyDocument)).toEqual([
    { input: { id: "3", endSessions: false } },
  ]);
});

it("a key's sessions end with it if that is ticked, and one without them does not ask", async () => {
  const push: ApiKey = { ...BACKEND, id: "5", name: "mailer", scopes: ["PUSH"] };
  const service = serviceWith(BACKEND, push);
  const user = openPage(service, PATH);
  await user.click(await screen.findByRole("button", { name: "Revoke mailer …" }));
  const other = await screen.findByRole("dialog", { name: "Revoke the API key" });
  expect(within(other).queryByRole("checkbox")).toBeNull();
  await user.click(within(other).getByRole("button", { name: "Cancel" }));
  await user.click(await screen.findByRole("button", { name: "Revoke backend …" }));
  const dialog = await screen.findByRole("dialog", { name: "Revoke the API key" });
  await user.click(within(dialog).getByRole("checkbox", { name: /End the sessions/ }));
  await user.click(within(dialog).getByRole("button", { name: "Revoke" }));
  await screen.findByText("backend is revoked. 2 sessions ended.");
  expect(service.variablesOf(RevokeApiKeyDocument)).toEqual([
    { input: { id: "3", endSessions: true } },
  ]);
});

it("a session says what created it, also when its key is revoked", async () => {
  const service = serviceWith(BACKEND);
  const session = {
    ...{ userId: "2", ip: "203.0.113.4", userAgent: "App", lastActivityAt: "2026-01-02T08:00:00Z" },
    ...{ expiresAt: "2026-01-02T10:00:00Z", apiKey: null },
  };
  const nodes = [
    { ...session, id: "11", origin: "API_KEY" as const, apiKey: { id: "3", name: "backend" } },
    { ...session, id: "12", origin: "API_KEY" as const, apiKey: { id: "2", name: null } },
    { ...session, id: "13", origin: "JWT" as const },
    { ...session, id: "14", origin: "CLIENT" as const },
  ];
  const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: "a", endCursor: "b" };
  service.answer(ApplicationSessionsDocument, () => ({
    application: { id: "7", sessions: { nodes, pageInfo, totalCount: 4, totalIsExact: true } },
  }));
  openPage(service, "/applications/7/settings?tab=sessions");
  await screen.findByText("API key “backend”");
  screen.getByText("API key 2, revoked");
  screen.getByText("backend’s JWT");
  screen.getByText("app");
});
