import { Paper, Stack } from "@mantine/core";
import { formatDateTime, formatRelative } from "../../../formats.ts";
import { strings } from "../../../strings.ts";
import { PasswordSection } from "./password-section.tsx";
import { ProfileDetails } from "./profile-details.tsx";
import { ProfileForm } from "./profile-form.tsx";
import { userStrings } from "./strings.ts";
import type { UserRef } from "./user-ref.ts";

const texts = userStrings;
const DAY_MS = 24 * 3_600_000;

/** The profile: a form for those who may change it, and readable details for everybody else. */
export function ProfileTab({ of }: { of: UserRef }) {
  return (
    <Stack gap="lg">
      <Times of={of} />
      {of.canChange ? (
        <>
          <ProfileForm of={of} />
          <PasswordSection of={of} />
        </>
      ) : (
        <ProfileDetails user={of.user} />
      )}
    </Stack>
  );
}

/** When the service deletes a guest: a day after the sign-up. */
function guestEnd(createdAt: string): string {
  return new Date(Date.parse(createdAt) + DAY_MS).toISOString();
}

function Times({ of: { user } }: { of: UserRef }) {
  const times = [
    [texts.createdAt, user.createdAt],
    [texts.lastSeen, user.lastRequestAt],
    [texts.updatedAt, user.updatedAt],
    ...(user.isGuest ? ([[texts.guestUntil, guestEnd(user.createdAt)]] as const) : []),
  ] as const;
  return (
    <Paper withBorder p="md" component="dl" m={0} className="user-times">
      {times.map(([title, time]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{time ? formatRelative(time) : strings.common.never}</dd>
          <dd className="user-time">{time && formatDateTime(time)}</dd>
        </div>
      ))}
    </Paper>
  );
}
