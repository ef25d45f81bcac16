import { pick } from "../input/random";
import { mutateSdp, OFFER } from "../input/sdp";
import { toJson } from "../input/values";
import { sendHttp } from "./http-client";
import { MediaSession } from "./media-session";
import type { Case, Target } from "./target";

/** Cases between two looks at the media of honest participants. */
const LOOK_EVERY = 20;
/** Answers to one offer. */
const ANSWERS = 4;

const PUBLISH = `mutation ($i: PublishConferenceMediaInput!) {
  publishConferenceMedia(input: $i) { peerId answer } }`;
const WATCH = "mutation ($i: MembershipInput!) { watchConference(input: $i) { peerId offer } }";
const ANSWER =
  "mutation ($i: AnswerConferencePeerInput!) { answerConferencePeer(input: $i) { done } }";
const RESTART = `mutation ($i: RestartConferencePeerInput!) {
  restartConferencePeer(input: $i) { sdp } }`;

let session: MediaSession | undefined;
/** The answer to an offer of the media server, as a client wrote it. */
let answer = "";

/** Offers and answers: those of clients, changed in lines and bytes, until the media server's library reads them. */
export const sdp: Target = {
  name: "sdp",
  weight: 1,
  concurrency: 1,
  async prepare(deployment) {
    session = await MediaSession.open(deployment);
    ({ answer } = await session.connected());
    await session.disconnect();
  },
  async run(each) {
    const { random } = each;
    if (!session) throw new Error("not prepared");
    const { membershipId } = await session.participant();
    if (random(2) === 0) {
      const offer = mutateSdp(random, OFFER);
      const source = pick(random, ["MAIN", "SCREEN"]);
      const { peerId } = await send(each, PUBLISH, { membershipId, source, offer });
      if (typeof peerId === "string") {
        await send(each, RESTART, { membershipId, peerId, offer: mutateSdp(random, OFFER) });
      }
    } else {
      const { peerId } = await send(each, WATCH, { membershipId });
      for (let count = 0; typeof peerId === "string" && count < ANSWERS; count += 1) {
        const input = { membershipId, peerId, answer: mutateSdp(random, answer) };
        await send(each, ANSWER, input);
      }
    }
    if (each.number % LOOK_EVERY > 0) return;
    const wrong = await session.flows();
    if (wrong !== null) each.violation(wrong);
  },
  async finish() {
    await session?.close();
    session = undefined;
  },
};

/** Runs a mutation. @returns the fields of its result; none after an error */
async function send(each: Case, query: string, input: object): Promise<Record<string, unknown>> {
  const { url, token } = session?.access ?? { url: "", token: "" };
  const { text } = await sendHttp(each, url, {
    method: "POST",
    path: "/graphql",
    headers: { "Content-Type": "application/json", "Svc-Token": token },
    body: Buffer.from(toJson({ query, variables: { i: input } })),
  });
  each.outcome(/"code":"([A-Z_]+)"/.exec(text)?.[1] ?? "done");
  const { data } = JSON.parse(text) as { data?: Record<string, Record<string, unknown> | null> };
  return Object.values(data ?? {})[0] ?? {};
}
