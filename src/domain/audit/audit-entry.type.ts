import { ArgsType, Field, ID, ObjectType, registerEnumType } from "type-graphql";
import type { MemberRole } from "../../core/viewer";
import type { AuditOutcome } from "../../platform/store/generated/enums";
import { AccountRoleName } from "../accounts/member.type";
import { connectionOf, edgeOf, PageArgs } from "../paging/page.type";

/** GraphQL names of the outcomes. */
const AuditOutcomeName: Record<string, AuditOutcome> = {
  STARTED: "started",
  SUCCEEDED: "succeeded",
  FAILED: "failed",
};
registerEnumType(AuditOutcomeName, {
  name: "AuditOutcome",
  description: "What became of a mutation in the audit log.",
  valuesConfig: {
    STARTED: {
      description:
        "It has begun. If it stays so, the node ended before it wrote the outcome, and the change may have taken effect.",
    },
    SUCCEEDED: { description: "It changed what it names." },
    FAILED: {
      description:
        "It ended with an error. It changed nothing unless errorCode is INTERNAL or UNAVAILABLE, after which the change may have taken effect.",
    },
  },
});

@ObjectType("AuditTarget", {
  description: "An object that a mutation names or created.",
  simpleResolvers: true,
})
class AuditTargetType {
  @Field({ description: "What the id is of: the input field, or the type of the object with Id." })
  name!: string;

  @Field(() => ID, { description: "The id; the object may not exist any more." })
  id!: string;
}

@ObjectType("AuditField", {
  description: "A field of the input of a mutation that was given.",
  simpleResolvers: true,
})
class AuditFieldType {
  @Field({ description: "Path of the field in the input, such as facebook.appId." })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "Its value, shortened to 200 characters; of a list of ids, their number. Null for texts and JSON that are not recorded because they may be secrets or data of users.",
  })
  value!: string | null;

  @Field({ description: "Whether it was set to null." })
  cleared!: boolean;
}

@ObjectType("AuditedApiKey", {
  description: "The API key by which a backend ran a mutation.",
  simpleResolvers: true,
})
class AuditedApiKeyType {
  @Field(() => ID, { description: "The key, which may be revoked since." })
  id!: number;

  @Field({ description: "Its name." })
  name!: string;
}

@ObjectType("AuditEntry", {
  description:
    "An entry of the audit log: a mutation of a member of the account, or of an API key of one of its applications.",
  simpleResolvers: true,
})
export class AuditEntryType {
  @Field(() => ID, { description: "Identifier of the entry." })
  id!: number;

  @Field(() => Date, { description: "When the mutation began." })
  createdAt!: Date;

  @Field(() => ID, {
    description: "The member who ran it; for an API key, the member who created the key.",
  })
  memberId!: number;

  @Field({ description: "The member's e-mail address at that time." })
  email!: string;

  @Field(() => AccountRoleName as object, { description: "The member's role at that time." })
  role!: MemberRole;

  @Field(() => AuditedApiKeyType, {
    nullable: true,
    description: "The API key that ran it; null if a member did.",
  })
  apiKey!: AuditedApiKeyType | null;

  @Field({ description: "Name of the mutation." })
  action!: string;

  @Field(() => AuditOutcomeName as object, { description: "What became of it." })
  outcome!: AuditOutcome;

  @Field(() => String, {
    nullable: true,
    description: "The error code (ErrorCode) of a mutation that failed.",
  })
  errorCode!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "The application that it names or created, which may be deleted since.",
  })
  applicationId!: number | null;

  @Field(() => [AuditTargetType], {
    description: "The objects that it names or created, at most 100.",
  })
  targets!: AuditTargetType[];

  @Field(() => [AuditFieldType], {
    description: "The other fields of its input that were given, at most 100.",
  })
  fields!: AuditFieldType[];

  @Field({
    description: "Address of the client; empty for what the command line did on the database.",
  })
  ip!: string;

  @Field(() => String, { nullable: true, description: "The client's User-Agent header." })
  userAgent!: string | null;

  @Field({ description: "Identifier of the request, which the log of the service has, too." })
  requestId!: string;
}

const AuditEntryEdge = edgeOf<AuditEntryType>("AuditEntryEdge", "entry", () => AuditEntryType);

@ObjectType({ description: "A page of the audit log.", simpleResolvers: true })
export class AuditEntryConnection extends connectionOf<AuditEntryType>(
  AuditEntryEdge,
  "entries",
  () => AuditEntryType,
) {}

/** The arguments of the audit log. */
@ArgsType()
export class AuditEntryArgs extends PageArgs {
  @Field(() => ID, {
    nullable: true,
    description: "Only entries of this application; not with memberId or action.",
  })
  applicationId?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "Only entries of this member; not with applicationId or action.",
  })
  memberId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Only entries of this mutation; not with applicationId or memberId.",
  })
  action?: string | null;

  @Field(() => Date, { nullable: true, description: "Only entries from this time on." })
  since?: Date | null;

  @Field(() => Date, { nullable: true, description: "Only entries before this time." })
  until?: Date | null;
}
