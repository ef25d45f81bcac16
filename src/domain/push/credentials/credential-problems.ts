import { X509Certificate } from "node:crypto";
import { Field, ID, ObjectType } from "type-graphql";
import { listApplicationIds } from "../../applications/application-id-queries";
import { PushEnvironmentName } from "../../applications/push-environment.type";
import type { PushEnvironment, PushService } from "../channels/channel";
import { PushServiceName } from "../channels/channel.type";
import { type ListedCredentials, listDoubtfulCredentials } from "./credential-queries";
import type { PushCredentialService } from "./push-credentials";

/** Time before its end in which a certificate needs attention, in milliseconds: 30 days. */
const NOTICE_MS = 30 * 24 * 60 * 60 * 1000;

@ObjectType({
  description:
    "Push credentials that need attention: the push service refuses them, or their certificate expires soon.",
  simpleResolvers: true,
})
export class PushCredentialProblem {
  @Field(() => ID, { description: "The application that they belong to." })
  applicationId!: number;

  @Field(() => PushEnvironmentName, {
    description: "Builds of the app that the credentials are for.",
  })
  environment!: PushEnvironment;

  @Field(() => PushServiceName, { description: "The service." })
  service!: PushService;

  @Field(() => Date, {
    nullable: true,
    description: "When the certificate expires or has expired; null unless it does within 30 days.",
  })
  validUntil!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: "Since when the push service refuses the credentials; null if it does not.",
  })
  refusedSince!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: "The push service's reason for the refusal; null without one.",
  })
  refusedReason!: string | null;
}

/** Lists the push credentials of an account's applications that need attention. @throws Fault UNAVAILABLE */
export async function listCredentialProblems(
  { store, clock }: Pick<PushCredentialService, "store" | "clock">,
  accountId: number,
): Promise<PushCredentialProblem[]> {
  const ids = await listApplicationIds(store, accountId);
  const soon = clock.now() + NOTICE_MS;
  return (await listDoubtfulCredentials(store.query, ids)).flatMap((listed) => {
    const { applicationId, environment, service, refusedSince, refusedReason } = listed;
    const end = certificateEnd(listed);
    const validUntil = end !== null && end.getTime() <= soon ? end : null;
    if (validUntil === null && refusedSince === null) return [];
    return [{ applicationId, environment, service, validUntil, refusedSince, refusedReason }];
  });
}

/** When the certificate of credentials expires; null if they have none. */
function certificateEnd({ settings: { certificate } }: ListedCredentials): Date | null {
  return certificate === undefined ? null : new Date(new X509Certificate(certificate).validTo);
}
