import { Field, ID, InputType, Int, ObjectType, registerEnumType } from "type-graphql";
import { connectionOf, edgeOf } from "../paging/page.type";

/** Outcome of a check. */
export enum HealthStatus {
  OK = "ok",
  WARNING = "warning",
  ERROR = "error",
  SKIPPED = "skipped",
}
registerEnumType(HealthStatus, {
  name: "HealthStatus",
  description: "Outcome of a check.",
  valuesConfig: {
    OK: { description: "It passed." },
    WARNING: { description: "It works, but may fail later or for some clients." },
    ERROR: { description: "It does not work." },
    SKIPPED: { description: "It was not checked; the detail says why." },
  },
});

@ObjectType({
  description: "What a check found. `signalbox doctor` prints the same words.",
  simpleResolvers: true,
})
export class HealthCheck {
  @Field({ description: "Name of the check, such as database. Several findings may share it." })
  name!: string;

  @Field(() => HealthStatus, { description: "Outcome." })
  status!: HealthStatus;

  @Field({ description: "What was found, or what the problem is." })
  detail!: string;

  @Field(() => String, {
    nullable: true,
    description: "How to fix it; set for warnings and errors.",
  })
  fix!: string | null;
}

@ObjectType("DeploymentNode", {
  description: "A process of the service. It reports every 15 seconds; one that stops is removed.",
  simpleResolvers: true,
})
export class DeploymentNodeType {
  @Field(() => ID, { description: "Identifier, new at each start." })
  id!: string;

  @Field({ description: "Name of its machine." })
  host!: string;

  @Field(() => Int, {
    description:
      "Its HTTP port, which tells it from other nodes of the machine; 0 if the system chose it.",
  })
  port!: number;

  @Field({ description: "Version of the service." })
  version!: string;

  @Field(() => Date, { description: "When it started." })
  startedAt!: Date;

  @Field(() => Date, { description: "When it last reported." })
  seenAt!: Date;

  @Field({
    description:
      "Whether it has not reported for 45 seconds without having stopped properly. It is forgotten after an hour.",
  })
  missing!: boolean;

  @Field(() => Int, { description: "Open sockets of clients, of all protocols." })
  openSockets!: number;

  @Field(() => Int, {
    description:
      "Longest time that work waited for its processor between its last two reports, in milliseconds.",
  })
  eventLoopDelayMs!: number;
}

@ObjectType({
  description: "The background jobs of a kind, of all applications of the deployment.",
  simpleResolvers: true,
})
export class JobQueue {
  @Field({ description: "Name of the kind." })
  name!: string;

  @Field(() => Int, {
    description: "Jobs that wait, also for a later time or a retry; counted up to 10,000.",
  })
  waiting!: number;

  @Field(() => Int, { description: "Jobs that run; counted up to 10,000." })
  active!: number;

  @Field(() => Int, {
    description: "Jobs that failed for good within the last three days; counted up to 10,000.",
  })
  failed!: number;
}

@ObjectType("Health", {
  description:
    "State of the deployment, as the node that answers sees it. It is at most five seconds old. Mail, media server and TURN, to which it signs in, are checked once a minute at most.",
  simpleResolvers: true,
})
export class HealthType {
  @Field(() => Date, { description: "When it was checked." })
  checkedAt!: Date;

  @Field(() => ID, { description: "Identifier of the node that checked it." })
  nodeId!: string;

  @Field(() => [HealthCheck], { description: "What the checks found." })
  checks!: HealthCheck[];

  @Field(() => [DeploymentNodeType], {
    description: "Nodes that run or are missing, in the order of their start.",
  })
  nodes!: DeploymentNodeType[];

  @Field(() => [JobQueue], { description: "Background jobs, by kind." })
  jobQueues!: JobQueue[];
}

@ObjectType("FailedJob", {
  description: "A background job of an application that failed for good. Its data is not shown.",
  simpleResolvers: true,
})
export class FailedJobType {
  @Field(() => ID, { description: "Identifier." })
  id!: string;

  @Field({ description: "Name of its kind, as in JobQueue." })
  name!: string;

  @Field(() => ID, { description: "Application that it belongs to." })
  applicationId!: number;

  @Field(() => Date, { description: "When its last attempt failed. It is kept for three days." })
  failedAt!: Date;

  @Field(() => Int, { description: "Number of attempts." })
  attempts!: number;

  @Field({ description: "Reason of the last failure, in at most 300 characters." })
  reason!: string;
}

const FailedJobEdge = edgeOf<FailedJobType>("FailedJobEdge", "job", () => FailedJobType);

@ObjectType({
  description: "A page of failed jobs, the latest failure first.",
  simpleResolvers: true,
})
export class FailedJobConnection extends connectionOf<FailedJobType>(
  FailedJobEdge,
  "jobs",
  () => FailedJobType,
) {}

@InputType({ description: "A failed job to run once more." })
export class RetryJobInput {
  @Field(() => ID, { description: "Application that the job belongs to." })
  applicationId!: string;

  @Field(() => ID, { description: "The job." })
  jobId!: string;
}

@ObjectType({ description: "A job that runs once more.", simpleResolvers: true })
export class RetryJobPayload {
  @Field(() => ID, { description: "The job." })
  jobId!: string;

  @Field({ description: "Name of its kind, as in JobQueue." })
  name!: string;
}
