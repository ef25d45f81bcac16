import { registerEnumType } from "type-graphql";

/** GraphQL names of the values of callType. */
export const CallType = { VIDEO: "1", AUDIO: "2" } as const;
registerEnumType(CallType, {
  name: "CallType",
  description: "The media of a call.",
  valuesConfig: {
    VIDEO: { description: "Video and audio; `1` in a stanza." },
    AUDIO: { description: "Audio only; `2` in a stanza." },
  },
});
