import {
  type Conference,
  type ConnectionStatus,
  listConferences,
  listUsers,
  type User,
} from "@signalbox/client";
import { useCalls, useConference, useSignalbox } from "@signalbox/client/react";
import { useCallback, useState } from "react";
import { CallView } from "./CallView.tsx";
import { Conferences } from "./Conferences.tsx";
import { ConferenceView } from "./ConferenceView.tsx";
import { Contacts } from "./Contacts.tsx";
import { IncomingCall } from "./IncomingCall.tsx";
import { LastCall } from "./LastCall.tsx";
import { Problems } from "./problem.tsx";
import { usePolled } from "./use-polled.ts";

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
  const { session } = useSignalbox();
  const { current, incoming } = useCalls();
  const [conference, setConference] = useState<Conference | null>(null);
  const isInConference = useConference(conference)?.state !== "ended";
  const contacts = usePolled(
    useCallback(async () => {
      // The tag of server/sessions.ts.
      const { nodes } = await listUsers(session, { filter: { userTags: { in: ["example"] } } });
      return nodes.filter(({ id }) => id !== user.id);
    }, [session, user.id]),
  );
  const conferences = usePolled(
    useCallback(async () => (await listConferences(session)).nodes, [session]),
  );
  const nameOf = (userId: string) =>
    contacts?.find(({ id }) => id === userId)?.fullName ?? `User ${userId}`;

  return (
    <Problems>
      {conference && isInConference ? (
        <ConferenceView conference={conference} />
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
            <Contacts contacts={contacts} />
            <Conferences conferences={conferences} onJoined={setConference} />
          </main>
        </>
      )}
      {incoming && <IncomingCall key={incoming.id} call={incoming} nameOf={nameOf} />}
    </Problems>
  );
}
