"use client";

export type { PolledListState } from "./polled-list.ts";
export { SignalboxProvider, type SignalboxProviderProps, useSignalbox } from "./provider.ts";
export { type CallSnapshot, useCall } from "./use-call.ts";
export { type CallsState, useCalls } from "./use-calls.ts";
export { type ConferenceSnapshot, useConference } from "./use-conference.ts";
export { useConferences } from "./use-conferences.ts";
export { type InvitationsState, useInvitations } from "./use-invitations.ts";
export { type SessionState, useSession } from "./use-session.ts";
export { useUsers } from "./use-users.ts";
export { Video, type VideoProps } from "./video.ts";
