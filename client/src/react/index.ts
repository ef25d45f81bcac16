"use client";

export { SignalboxProvider, type SignalboxProviderProps, useSignalbox } from "./provider.ts";
export { type CallSnapshot, useCall } from "./use-call.ts";
export { type CallsState, useCalls } from "./use-calls.ts";
export { type ConferenceSnapshot, useConference } from "./use-conference.ts";
export { type SessionState, useSession } from "./use-session.ts";
export { Video, type VideoProps } from "./video.ts";
