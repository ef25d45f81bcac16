import type { Conference, ConnectionStatus, User } from "@signalbox/client";
import { useCalls, useConference, useConferences, useUsers } from "@signalbox/client/react";
import { useState } from "react";
import { CallView } from "./CallView.tsx";
import { Conferences } from "./Conferences.tsx";
import { ConferenceView } from "./ConferenceView.tsx";
import { Contacts } from "./Contacts.tsx";
import { IncomingCall } from "./IncomingCall.tsx";
import { Invitations } from "./Invitations.tsx";
import { LastCall } from "./LastCall.tsx";
import { Problems } from "./problem.tsx";

/** What a signed-in user sees. */
export function Home({
  user,
  connection,
  onSignOut,
}: {
  user: User;
  connection: ConnectionStatus;
  onSignOut: () => void;
}) {
  const { current, incoming } = useCalls();
  const [conference, setConference] = useState<Conference | null>(null);
  const isInConference = useConference(conference)?.state !== "ended";
  // The tag of server/sessions.ts.
  const users = useUsers({ filter: { userTags: { in: ["example"] } } });
  const contacts = users.items?.filter(({ id }) => id !== user.id) ?? null;
  const conferences = useConferences();
  const nameOf = (userId: string) =>
    contacts?.find(({ id }) => id === userId)?.fullName ?? `User ${userId}`;

  return (
    <Problems>
      {conference && isInConference ? (
        <ConferenceView conference={conference} contacts={contacts ?? []} />
      ) : current && !incoming ? (
        <CallView key={current.id} call={current} nameOf={nameOf} />
      ) : (
        <>
          <header className="bar">
            <strong>Signalbox with React</strong>
            <span className="me">
              <span className="dot" data-status={connection} title={connection} />
              {user.fullName}
              <button type="button" className="plain" onClick={onSignOut}>
                Sign out
              </button>
            </span>
          </header>
          <main className="lists">
            <LastCall nameOf={nameOf} />
            <Invitations nameOf={nameOf} onJoined={setConference} />
            <Contacts contacts={contacts} error={users.error} />
            <Conferences list={conferences} onJoined={setConference} />
          </main>
        </>
      )}
      {incoming && <IncomingCall key={incoming.id} call={incoming} />}
    </Problems>
  );
}
