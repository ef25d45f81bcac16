import { EVENTS } from "./graphql-api.js";

/**
 * Subscribes to the events of a membership. After a lost connection the subscription resumes behind the last event.
 * @param {import("graphql-ws").Client} client
 * @param {string} membershipId
 * @param {{ onEvent(event: any): void, onFailure(code: string | undefined): void }} listener `onFailure` is called
 * once, with the code of the error, when the membership cannot be followed any more
 * @returns {() => void} ends the subscription
 */
export function subscribeEvents(client, membershipId, { onEvent, onFailure }) {
  let ended = false;
  let stop = () => {};
  function start() {
    // The client subscribes with this object again after a cut, so `after` is that of the last event.
    const variables = /** @type {{ membershipId: string, after?: string }} */ ({ membershipId });
    const failed = (/** @type {unknown} */ problem) => {
      if (ended) return;
      const code = Array.isArray(problem) ? problem[0]?.extensions?.code : undefined;
      stop();
      // Events may have been missed: the next subscription starts with the whole state.
      if (code === "INVALID" && variables.after !== undefined) return start();
      ended = true;
      onFailure(code);
    };
    stop = client.subscribe(
      { query: EVENTS, variables },
      {
        next: ({ data, errors }) => {
          if (ended) return;
          if (errors) return failed(errors);
          const event = /** @type {any} */ (data?.conferenceEvents);
          if (!event) return;
          variables.after = event.cursor;
          onEvent(event);
        },
        error: failed,
        complete: () => {},
      },
    );
  }
  start();
  return () => {
    ended = true;
    stop();
  };
}
