import type { SignalboxError, User } from "@signalbox/client";
import { useCalls } from "@signalbox/client/react";
import { Avatar } from "./Avatar.tsx";
import { Icon } from "./Icon.tsx";
import { useRun } from "./problem.tsx";

/** The other users, to be called. @param contacts null before they are loaded */
export function Contacts({
  contacts,
  error,
}: {
  contacts: User[] | null;
  error: SignalboxError | null;
}) {
  const { start } = useCalls();
  const run = useRun();
  return (
    <section className="card">
      <h2>Contacts</h2>
      {error && <p className="error">{error.message}</p>}
      {contacts?.length === 0 && (
        <p className="quiet">Nobody else has signed in yet. Open this page in another tab.</p>
      )}
      <ul className="people">
        {contacts?.map(({ id, fullName, login }) => {
          const name = fullName ?? login ?? id;
          return (
            <li key={id}>
              <Avatar name={name} />
              <span className="name">{name}</span>
              <button
                type="button"
                className="round soft"
                aria-label={`Call ${name}`}
                onClick={() => run(() => start({ users: [id] }))}
              >
                <Icon name="phone" />
              </button>
              <button
                type="button"
                className="round primary"
                aria-label={`Call ${name} by video`}
                onClick={() => run(() => start({ users: [id], video: true }))}
              >
                <Icon name="camera" />
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
