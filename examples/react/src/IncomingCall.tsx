import type { Call } from "@signalbox/client";
import { Avatar } from "./Avatar.tsx";
import { Icon } from "./Icon.tsx";
import { useRun } from "./problem.tsx";

/** A call that rings. */
export function IncomingCall({ call }: { call: Call }) {
  const run = useRun();
  const name = call.callerName ?? `User ${call.callerId}`;
  return (
    <div className="veil">
      <section className="card ringing" role="alertdialog" aria-label="Incoming call">
        <Avatar name={name} isLarge />
        <h2>{name}</h2>
        <p className="quiet">is calling you{call.video ? " by video" : ""}</p>
        <div className="answers">
          <button type="button" className="danger" onClick={() => call.reject()}>
            <Icon name="hangUp" />
            Decline
          </button>
          <button type="button" className="success" onClick={() => run(() => call.accept())}>
            <Icon name={call.video ? "camera" : "phone"} />
            Accept
          </button>
        </div>
      </section>
    </div>
  );
}
