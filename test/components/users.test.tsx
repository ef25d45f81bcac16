import { screen, within } from "@testing-library/react";
import { UserDocument } from "../../dashboard/src/pages/users/user/user.generated.ts";
import {
  ApplicationUsersDocument,
  type ApplicationUsersQuery,
  type ApplicationUsersQueryVariables,
  CreateUserDocument,
} from "../../dashboard/src/pages/users/users.generated.ts";
import { FakeService, REQUEST_ID, Refusal } from "../support/dashboard/components/fake-service.ts";
import { openPage, pageOf, TOKEN } from "../support/dashboard/components/open-page.tsx";

/** The list of users: what it shows, and what it asks the service for. */

type Row = ApplicationUsersQuery["application"]["users"]["nodes"][number];

const PATH = "/applications/7/users";
const ANN: Row = {
  id: "41",
  login: "ann.moreau",
  email: "ann@field.example",
  fullName: "Ann Moreau",
  tags: ["north", "driver"],
  isGuest: false,
  blockedAt: null,
  lastRequestAt: "2026-03-01T08:00:00Z",
  createdAt: "2026-01-02T08:00:00Z",
};
const BEN: Row = { ...ANN, id: "42", login: "ben", email: null, fullName: null, tags: [] };

/** Answers with the users that a test chooses by what the page asks for. */
function serviceWith(
  find: (variables: ApplicationUsersQueryVariables) => Row[],
  cursors: (variables: ApplicationUsersQueryVariables) => Parameters<typeof pageOf>[1] = () => ({}),
): FakeService {
  const service = new FakeService();
  service.answer(ApplicationUsersDocument, (variables) => {
    const nodes = find(variables);
    const page = pageOf(nodes, cursors(variables));
    return {
      application: { id: "7", users: { ...page, totalCount: nodes.length, totalIsExact: true } },
    };
  });
  return service;
}

const list = () => screen.findByRole("table", { name: "Users of the application" });
const names = async () =>
  within(await list())
    .getAllByRole("link")
    .map(({ textContent }) => textContent);
const lastAsked = (service: FakeService) => service.variablesOf(ApplicationUsersDocument).at(-1);

/** Chooses from a list of choices with the keyboard. */
async function choose(user: ReturnType<typeof openPage>, label: string, option: string) {
  await user.click(screen.getByRole("textbox", { name: label }));
  await user.click(await screen.findByRole("option", { name: option }));
}

describe("the list", () => {
  it("names each user, and says who is blocked or a guest", async () => {
    const blocked = { ...BEN, blockedAt: "2026-02-01T08:00:00Z", isGuest: true };
    const service = serviceWith(() => [ANN, blocked]);
    openPage(service, PATH);
    const [, first, second] = within(await list()).getAllByRole("row");
    const link = within(first!).getByRole("link", { name: "Ann Moreau" });
    expect(link.getAttribute("href")).toBe("/applications/7/users/41");
    for (const text of ["ann.moreau", "ann@field.example", "north", "driver"]) {
      within(first!).getByText(text);
    }
    expect(within(first!).queryByText("Blocked")).toBeNull();
    // Without a name, the login stands for the user.
    within(second!).getByRole("link", { name: "ben" });
    within(second!).getByText("Blocked");
    within(second!).getByText("Guest");
    expect(screen.getByRole("status").textContent).toBe("2 entries");
    expect(document.title).toContain("Users");
    expect(service.sent.find(({ name }) => name === "ApplicationUsers")).toEqual({
      name: "ApplicationUsers",
      token: TOKEN,
      variables: {
        ...{ applicationId: "7", first: 25, search: null, filter: null },
        ...{ blocked: null, guest: null, sort: { desc: "ID" } },
      },
    });
  });

  it("without users says where they come from", async () => {
    openPage(
      serviceWith(() => []),
      PATH,
    );
    await screen.findByText("No users yet");
    screen.getByText(/People appear here when they sign up/);
    expect(await screen.findAllByRole("button", { name: "New user" })).toHaveLength(2);
    expect(screen.queryByRole("table")).toBeNull();
  });

  it("shows the service's words when it fails, and reads again", async () => {
    const service = serviceWith(() => [ANN]);
    service.refuse(ApplicationUsersDocument, new Refusal("INTERNAL", "The disk is full"));
    const user = openPage(service, PATH);
    const alert = await screen.findByRole("alert");
    within(alert).getByText("The service has failed");
    within(alert).getByText("The disk is full");
    within(alert).getByText(REQUEST_ID);
    service.answer(ApplicationUsersDocument, () => ({
      application: { id: "7", users: { ...pageOf([ANN]), totalCount: 1, totalIsExact: true } },
    }));
    await user.click(within(alert).getByRole("button", { name: "Try again" }));
    expect(await names()).toEqual(["Ann Moreau"]);
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("is read page by page, forward and backward", async () => {
    const service = serviceWith(
      ({ after }) => (after === "end-of-first" ? [BEN] : [ANN]),
      ({ after }) => (after ? { before: "start-of-second" } : { after: "end-of-first" }),
    );
    const user = openPage(service, PATH);
    await list();
    const previous = screen.getByRole("button", { name: "Previous page" });
    expect(previous).toHaveProperty("disabled", true);
    await user.click(screen.getByRole("button", { name: "Next page" }));
    await screen.findByRole("link", { name: "ben" });
    expect(lastAsked(service)).toMatchObject({ first: 25, after: "end-of-first" });
    expect(screen.getByRole("button", { name: "Next page" })).toHaveProperty("disabled", true);
    // The position stands in the URL, so that the browser's back button leads back.
    expect(location.search).toBe("?after=end-of-first");
    await user.click(screen.getByRole("button", { name: "Previous page" }));
    await screen.findByRole("link", { name: "Ann Moreau" });
    expect(lastAsked(service)).toMatchObject({ last: 25, before: "start-of-second" });
    expect(lastAsked(service)).not.toHaveProperty("after");
  });

  it("shows support the users, and no way to create one", async () => {
    const service = serviceWith(({ search }) => (search ? [] : [ANN]));
    const user = openPage(service, PATH, "SUPPORT");
    await list();
    await user.type(screen.getByRole("searchbox", { name: "Search users" }), "x");
    await screen.findByText("No user matches");
    expect(screen.queryByRole("button", { name: "New user" })).toBeNull();
    expect(service.variablesOf(CreateUserDocument)).toEqual([]);
  });
});

describe("a search or filter", () => {
  it("searches for what is typed, in the order that a search has, and is cleared", async () => {
    const service = serviceWith(({ search }) => (search ? [] : [ANN, BEN]));
    const user = openPage(service, PATH);
    await list();
    const field = screen.getByRole<HTMLInputElement>("searchbox", { name: "Search users" });
    // At once: how many requests single letters make depends on the time between them.
    await user.click(field);
    await user.paste(" nobody ");
    await screen.findByText("No user matches");
    expect(service.variablesOf(ApplicationUsersDocument).map(({ search }) => search)).toEqual([
      null,
      "nobody",
    ]);
    expect(lastAsked(service)).toMatchObject({ sort: null });
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    expect(await names()).toEqual(["Ann Moreau", "ben"]);
    expect(field.value).toBe("");
  });

  it("of an id offers the user with this id", async () => {
    const user = openPage(
      serviceWith(() => []),
      PATH,
    );
    await user.type(await screen.findByRole("searchbox"), "42");
    const link = await screen.findByRole("link", { name: "Open the user with the id 42" });
    expect(link.getAttribute("href")).toBe("/applications/7/users/42");
  });

  it("by status and kind asks for these users alone, and keeps the choice in the URL", async () => {
    const service = serviceWith(({ blocked, guest }) => (blocked && guest === false ? [BEN] : []));
    const user = openPage(service, PATH);
    await screen.findByText("No users yet");
    await choose(user, "Status", "Blocked");
    await choose(user, "Kind", "Users only");
    expect(await names()).toEqual(["ben"]);
    expect(lastAsked(service)).toMatchObject({ blocked: true, guest: false });
    expect(location.search).toBe("?status=blocked&kind=users");
  });

  it("by conditions explains one that cannot be sent, and sends the others", async () => {
    const service = serviceWith(({ filter }) => (filter ? [BEN] : [ANN]));
    const user = openPage(service, PATH);
    await list();
    await user.click(screen.getByRole("button", { name: "Filter" }));
    // The value of the first condition has the focus.
    await user.keyboard("per{Enter}");
    await screen.findByText("Enter at least 4 characters.");
    expect(service.variablesOf(ApplicationUsersDocument)).toHaveLength(1);
    await user.keyboard("son{Enter}");
    await screen.findByRole("link", { name: "ben" });
    expect(lastAsked(service)).toMatchObject({ filter: { login: { startWith: "person" } } });
    expect(screen.getByRole("button", { name: "Filter (1)" })).toBe(document.activeElement);
    await user.click(screen.getByRole("button", { name: "Remove “Login starts with “person””" }));
    expect(await names()).toEqual(["Ann Moreau"]);
    expect(location.search).toBe("");
  });

  it("that would read every user is explained without asking", async () => {
    const service = serviceWith(() => [ANN]);
    const filter = JSON.stringify([["createdAt", "gte", "2026-01-01T00:00:00Z"]]);
    openPage(service, `${PATH}?filter=${encodeURIComponent(filter)}`);
    await screen.findByText("This filter matches too many users");
    expect(service.variablesOf(ApplicationUsersDocument)).toEqual([]);
  });
});

describe("a new user", () => {
  it("is created once by a double click, and then shown", async () => {
    const service = serviceWith(() => [ANN]);
    service.answer(CreateUserDocument, ({ input: { login, fullName } }) => ({
      createUser: {
        user: { id: "43", login: login ?? null, email: null, fullName: fullName ?? null },
      },
    }));
    service.refuse(UserDocument, new Refusal("NOT_FOUND", "Not read in this test"));
    const user = openPage(service, PATH);
    await user.click(await screen.findByRole("button", { name: "New user" }));
    const dialog = await screen.findByRole("dialog", { name: "New user" });
    const type = (label: string, text: string) =>
      user.type(within(dialog).getByLabelText(label), text);
    await user.click(within(dialog).getByRole("button", { name: "Create" }));
    within(dialog).getByText("Enter a login or an e-mail address.");
    within(dialog).getByText("Enter a password.");
    expect(service.variablesOf(CreateUserDocument)).toEqual([]);
    await type("Name", "Dora");
    await type("Login", " dora ");
    await type("Password *", "a horse");
    await user.dblClick(within(dialog).getByRole("button", { name: "Create" }));
    await screen.findByText("Dora was created.");
    expect(location.pathname).toBe("/applications/7/users/43");
    expect(service.variablesOf(CreateUserDocument)).toEqual([
      { input: { applicationId: "7", fullName: "Dora", login: "dora", password: "a horse" } },
    ]);
  });

  it("that the service refuses stays typed, with the reason at its field", async () => {
    const service = serviceWith(() => [ANN]);
    service.refuse(
      CreateUserDocument,
      new Refusal("INVALID", "Invalid input", { login: ["is taken"] }),
    );
    const user = openPage(service, PATH);
    await user.click(await screen.findByRole("button", { name: "New user" }));
    const dialog = await screen.findByRole("dialog", { name: "New user" });
    const login = within(dialog).getByRole<HTMLInputElement>("textbox", { name: "Login" });
    await user.type(login, "ann");
    await user.type(within(dialog).getByLabelText("Password *"), "a horse{Enter}");
    await within(dialog).findByText("is taken");
    expect(login.value).toBe("ann");
    expect(document.activeElement).toBe(login);
    expect(within(dialog).queryByRole("alert")).toBeNull();
  });
});
