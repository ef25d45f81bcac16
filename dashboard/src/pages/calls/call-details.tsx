import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Details } from "../../components/details.tsx";
import { CopyTextButton } from "../../components/secret-field.tsx";
import { Section } from "../../components/section.tsx";
import { formatExactTime, formatSeconds } from "../../formats.ts";
import { userName } from "../users/user-name.ts";
import type { CallFieldsFragment } from "./call.generated.ts";
import { CallLength, callKind } from "./call-labels.tsx";
import { callStrings, callsStrings } from "./strings.ts";

const texts = callStrings;

/** Why a call ended, or what it does now, in a sentence. */
function reasonOf({ endReason, state, hungUpById, participants }: CallFieldsFragment): string {
  if (endReason === null) return state === "RINGING" ? texts.stillRinging : texts.inProgress;
  const hungUp = participants.find(({ userId }) => userId === hungUpById);
  if (!hungUp) return texts.reasons[endReason];
  const name = userName(hungUp.user);
  if (endReason === "CANCELLED") return texts.hungUpUnanswered(name);
  return endReason.startsWith("HUNG_UP") ? texts.hungUp(name) : texts.reasons[endReason];
}

/** What happened in a call, with its statistics. */
export function CallDetails({ call }: { call: CallFieldsFragment }) {
  const { callId, startedAt, acceptedAt, endedAt, answerSeconds } = call;
  const details = [
    { title: texts.why, value: <Text fw={600}>{reasonOf(call)}</Text> },
    { title: callsStrings.kind, value: callKind(call.callType) },
    { title: texts.started, value: formatExactTime(startedAt) },
    {
      title: texts.answered,
      value:
        answerSeconds === null ? (
          texts.notAnswered
        ) : (
          <Figure value={formatSeconds(answerSeconds)} hint={texts.answeredHint} />
        ),
    },
    ...(acceptedAt === null
      ? []
      : [
          {
            title: texts.length,
            value: <Figure value={<CallLength {...call} />} hint={texts.lengthHint} />,
          },
        ]),
    { title: texts.ended, value: endedAt === null ? texts.stillLive : formatExactTime(endedAt) },
    {
      title: texts.sessionId,
      value: (
        <Group gap={4} mih={28}>
          <span>{callId}</span>
          <CopyTextButton value={callId} name={texts.sessionId} />
        </Group>
      ),
    },
  ];
  return (
    <Section title={texts.what}>
      <Details details={details} />
    </Section>
  );
}

/** A statistic, and what it means exactly. */
function Figure({ value, hint }: { value: ReactNode; hint: string }) {
  return (
    <>
      <span className="figure">{value}</span>{" "}
      <Text span size="sm" c="dimmed">
        {hint}
      </Text>
    </>
  );
}
