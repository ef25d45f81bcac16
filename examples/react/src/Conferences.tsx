import { type Conference, type ConferenceInfo, createConference } from "@signalbox/client";
import { type PolledListState, useSignalbox } from "@signalbox/client/react";
import { useState } from "react";
import { Icon } from "./Icon.tsx";
import { useRun } from "./problem.tsx";

/** The open conferences. */
export function Conferences({
  list,
  onJoined,
}: {
  list: PolledListState<ConferenceInfo>;
  onJoined: (conference: Conference) => void;
}) {
  const signalbox = useSignalbox();
  const run = useRun();
  const [name, setName] = useState("");
  const join = async (id: string) =>
    onJoined(await signalbox.conferences.join(id, { audio: true, video: true }));
  const create = async () => {
    const { id } = await createConference(signalbox.session, { name });
    await join(id);
    setName("");
    await list.reload();
  };
  return (
    <section className="card">
      <h2>Conferences</h2>
      {list.error && <p className="error">{list.error.message}</p>}
      <ul className="people">
        {list.items?.map((each) => (
          <li key={each.id}>
            <span className="avatar room">
              <Icon name="people" />
            </span>
            <span className="name">{each.name}</span>
            <button
              type="button"
              className="primary"
              aria-label={`Join ${each.name}`}
              onClick={() => run(() => join(each.id))}
            >
              Join
            </button>
          </li>
        ))}
      </ul>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          run(create);
        }}
      >
        <input
          value={name}
          onChange={({ target }) => setName(target.value)}
          aria-label="Name of the conference"
          placeholder="Team meeting"
          maxLength={128}
          required
        />
        <button type="submit" className="soft">
          Start
        </button>
      </form>
    </section>
  );
}
