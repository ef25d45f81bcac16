import type { Page } from "playwright-core";
import type { DemoData } from "./demo-data";

/** A page to take a picture of. */
export interface PictureOf {
  /** Name of the files: NAME-light.png and NAME-dark.png. */
  name: string;
  /** Path below /dashboard. */
  path(data: DemoData): string;
  /** Brings the page into the state to show, after its heading has appeared. */
  prepare?(page: Page): Promise<unknown>;
  /** Also takes a picture at the width of a phone: NAME-phone-light.png. */
  phone?: true;
  /** Whether nobody is signed in. */
  signedOut?: true;
}

/** The pages in the order of docs/DASHBOARD.md. */
export const PICTURES: readonly PictureOf[] = [
  { name: "sign-in", path: () => "/", signedOut: true },
  {
    name: "overview",
    path: () => "/overview",
    prepare: (page) => page.locator("canvas").last().waitFor(),
    phone: true,
  },
  {
    name: "application-overview",
    path: ({ applicationId }) => `/applications/${applicationId}/overview?period=MONTH`,
    prepare: (page) => page.locator("canvas").last().waitFor(),
  },
  {
    name: "applications",
    path: () => "/applications",
    prepare: (page) => page.getByRole("link", { name: "Field service" }).waitFor(),
    phone: true,
  },
  {
    name: "application-settings",
    path: ({ applicationId }) => `/applications/${applicationId}/settings`,
    phone: true,
  },
  {
    name: "application-keys",
    path: ({ applicationId }) => `/applications/${applicationId}/settings?tab=keys`,
    prepare: (page) => page.getByRole("button", { name: "New API key …" }).scrollIntoViewIfNeeded(),
  },
  {
    name: "application-origins",
    path: ({ applicationId }) => `/applications/${applicationId}/settings?tab=origins`,
  },
  {
    name: "application-sessions",
    path: ({ applicationId }) => `/applications/${applicationId}/settings?tab=sessions`,
    prepare: (page) => page.getByRole("table").waitFor(),
  },
  {
    name: "application-delete",
    path: ({ applicationId }) => `/applications/${applicationId}/settings?tab=delete`,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Delete the application …" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "users",
    path: ({ applicationId }) => `/applications/${applicationId}/users`,
    prepare: (page) => page.getByRole("link", { name: "Ann Moreau" }).waitFor(),
    phone: true,
  },
  {
    name: "users-filter",
    path: ({ applicationId }) =>
      `/applications/${applicationId}/users?filter=${encodeURIComponent('[["userTags","in","north","dispatcher"],["createdAt","gte","2026-01-01T00:00:00Z"]]')}`,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Filter (2)" }).click();
      await page.getByText("Show users for whom all of this is true").waitFor();
    },
  },
  {
    name: "user",
    path: ({ applicationId }) => `/applications/${applicationId}/users/1`,
    prepare: (page) => page.getByLabel("Website").waitFor(),
    phone: true,
  },
  {
    name: "user-devices",
    path: ({ applicationId }) => `/applications/${applicationId}/users/1?tab=devices`,
    prepare: (page) => page.getByRole("table").waitFor(),
  },
  {
    name: "user-blocked",
    path: ({ applicationId }) => `/applications/${applicationId}/users/4`,
    prepare: (page) => page.getByText(/^Blocked since/).waitFor(),
  },
  {
    name: "account",
    path: () => "/account",
    prepare: (page) => page.getByText("farid.aziz@field.example").waitFor(),
    phone: true,
  },
  {
    name: "account-invite",
    path: () => "/account",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Invite a member" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "account-profile",
    path: () => "/account?tab=profile",
    prepare: (page) => page.getByLabel("Current password").waitFor(),
    phone: true,
  },
  {
    name: "account-details",
    path: () => "/account?tab=details",
    prepare: (page) => page.getByLabel("API server").waitFor(),
  },
  {
    name: "audit",
    path: () => "/audit",
    prepare: (page) => page.getByLabel("Changes, newest first").waitFor(),
    phone: true,
  },
  {
    name: "audit-details",
    path: () => "/audit?action=updateApplication",
    prepare: async (page) => {
      await page.getByRole("table").getByRole("button").last().click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "health",
    path: () => "/health",
    prepare: (page) => page.getByLabel("Nodes", { exact: true }).waitFor(),
    phone: true,
  },
  {
    name: "push",
    path: ({ applicationId }) => `/applications/${applicationId}/push`,
    prepare: (page) => page.getByRole("link", { name: "Storm warning" }).first().waitFor(),
    phone: true,
  },
  {
    name: "push-new",
    path: ({ applicationId }) => `/applications/${applicationId}/push/new`,
    prepare: async (page) => {
      await page.getByRole("textbox", { name: "Tags", exact: true }).fill("technicians");
      await page.keyboard.press("Enter");
      await page.getByRole("textbox", { name: "Title", exact: true }).fill("Storm warning");
      await page
        .getByRole("textbox", { name: "Text", exact: true })
        .fill("Work on roofs stops at 14:00. Call your dispatcher.");
      await page.getByRole("figure", { name: "How Android shows it" }).waitFor();
      await page.evaluate("scrollTo(0, 0)");
    },
    phone: true,
  },
  {
    name: "push-sent",
    path: ({ applicationId }) => `/applications/${applicationId}/push/3,4?event=4`,
    prepare: (page) => page.getByRole("list").or(page.getByRole("table")).first().waitFor(),
    phone: true,
  },
  {
    name: "providers",
    path: ({ applicationId }) => `/applications/${applicationId}/providers`,
    prepare: (page) => page.getByText("field-service", { exact: true }).waitFor(),
    phone: true,
  },
  {
    name: "providers-set",
    path: ({ applicationId }) => `/applications/${applicationId}/providers`,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Replace Apple" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "providers-sign-in",
    path: ({ applicationId }) => `/applications/${applicationId}/providers?tab=sign-in`,
    prepare: (page) => page.getByRole("button", { name: "Set Twitter" }).waitFor(),
  },
  {
    name: "calls",
    path: ({ applicationId }) => `/applications/${applicationId}/calls`,
    prepare: (page) => page.getByRole("link", { name: "Ann Moreau → Ben Okafor" }).waitFor(),
    phone: true,
  },
  {
    name: "call",
    path: ({ applicationId }) => `/applications/${applicationId}/calls`,
    prepare: async (page) => {
      await page.getByRole("link", { name: "Ann Moreau → Ben Okafor" }).click();
      await page.getByRole("list", { name: "Signals" }).getByText("Accept").waitFor();
    },
    phone: true,
  },
  {
    name: "conferences",
    path: ({ applicationId }) => `/applications/${applicationId}/conferences`,
    prepare: (page) => page.getByRole("link", { name: "Weekly planning" }).waitFor(),
    phone: true,
  },
  {
    name: "conference",
    path: ({ applicationId }) => `/applications/${applicationId}/conferences`,
    prepare: async (page) => {
      await page.getByRole("link", { name: "Weekly planning" }).click();
      await page.getByRole("button", { name: "Actions for Ben Okafor" }).waitFor();
      await page.getByRole("heading", { name: "Guest links" }).waitFor();
    },
    phone: true,
  },
  {
    name: "explorer",
    path: () => "/explorer",
    prepare: (page) => page.getByRole("button", { name: "Open the REST reference" }).waitFor(),
    phone: true,
  },
];
