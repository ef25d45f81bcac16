/**
 * Texts that several pages show; those of a page are in the strings.ts of its folder. Texts with values are functions, so
 * that a translation decides the order of words and the plural. Dates and numbers are formatted by formats.ts in the
 * language of the browser.
 */

import { counted } from "./formats.ts";

export const strings = {
  product: "Signalbox",
  documentTitle: (page: string) => `${page} · Signalbox`,

  sessionOrigin: {
    names: { CLIENT: "app", API_KEY: "API key", JWT: "backend’s JWT" },
    apiKey: (name: string) => `API key “${name}”`,
    revokedKey: (id: string) => `API key ${id}, revoked`,
  },
  common: {
    save: "Save",
    cancel: "Cancel",
    close: "Close",
    discard: "Discard changes",
    create: "Create",
    retry: "Try again",
    loading: "Loading …",
    never: "never",
    none: "none",
    nothing: "–",
    requestId: "Request id",
    copied: "Copied",
    next: "Next page",
    previous: "Previous page",
    entries: (count: number, isExact: boolean) =>
      `${isExact ? "" : "more than "}${counted(count, "entry", "entries")}`,
    clearFilters: "Clear filters",
    unsaved: "Changes are not saved yet.",
    more: "More options",
    less: "Fewer options",
  },

  errors: {
    titles: {
      NETWORK: "The service does not answer",
      UNAVAILABLE: "The service is not available now",
      LIMITED: "Too many requests",
      FORBIDDEN: "That is not allowed",
      NOT_FOUND: "Not found",
      INVALID: "Something in the input is not allowed",
      INTERNAL: "The service has failed",
    } as Readonly<Record<string, string>>,
    other: "That did not work",
    retryAfter: (seconds: number) => `Try again in ${counted(seconds, "second", "seconds")}.`,
    pageFailed: "This page has failed",
    pageMissing: "There is no such page",
    pageMissingText: "The address may be misspelled, or the page has moved.",
    newVersion: "The dashboard was updated",
    newVersionText:
      "A part of the page is no longer there. Reload the page to get the new version.",
    reload: "Reload",
    toStart: "To the start page",
  },

  shell: {
    skip: "Skip to content",
    navigation: "Pages",
    openNavigation: "Open navigation",
    closeNavigation: "Close navigation",
    signOut: "Sign out",
    leaveTitle: "Sign out now?",
    leaveLead: "Signing out ends what the page does:",
    leaveUnsaved: "Changes that are not saved are lost.",
    leaveTasks: [
      "An export that is not complete is lost.",
      "What the service is deleting is deleted, but not reported here.",
    ],
    signedInAs: (email: string) => `Signed in as ${email}`,
    account: "Account menu",
    profile: "My profile",
    members: "Members and account",
    toDark: "Dark colors",
    toLight: "Light colors",
    application: "Application",
    chooseApplication: "Choose an application",
    groups: { account: "Account", application: "Application", developers: "Developers" },
    readOnly: "Read only",
    readOnlyText: "Your role (support) is read-only.",
    loadingPage: "The page is loading",
  },

  tasks: {
    title: "Tasks",
    running: "running",
    done: "done",
    failed: "failed",
    unanswered: "no answer",
    elapsed: (time: string) => `${time} so far`,
    dismiss: (title: string) => `Remove “${title}” from the list`,
  },

  live: {
    connecting: "Connecting …",
    live: "Live",
    reconnecting: "Reconnecting …",
    ended: "Not live",
  },

  leave: {
    title: "Leave without saving?",
    text: "What you have changed on this page is not saved, and is lost when you leave.",
    stay: "Stay",
    leave: "Leave the page",
  },

  secret: {
    reveal: (name: string) => `Show ${name}`,
    hide: (name: string) => `Hide ${name}`,
    copy: (name: string) => `Copy ${name}`,
    hidden: "hidden",
  },

  destroy: {
    lost: "This is lost for good:",
    type: (name: string) => `Type “${name}” to confirm`,
  },

  roles: { OWNER: "owner", DEVELOPER: "developer", SUPPORT: "support" } as const,
};
