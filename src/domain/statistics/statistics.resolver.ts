import { Arg, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { AccountType } from "../accounts/account.type";
import { ApplicationType } from "../applications/application.type";
import { listApplicationIds } from "../applications/application-id-queries";
import { countLive } from "./activity";
import { readSockets } from "./open-sockets-queries";
import {
  type Counts,
  errorCounts,
  type Period,
  type PeriodStatistics,
  statisticsOf,
} from "./statistics";
import {
  Activity,
  LiveCount,
  SocketCountsType,
  Statistics,
  type StatisticsCounts,
  StatisticsPeriodName,
} from "./statistics.type";
import type { StatisticsContext } from "./statistics-deps";

const STATISTICS = "What happened in a period that ends now, as totals and as a series for charts.";
const ACTIVITY = "What is open now.";
const PERIOD = { description: "The period." };

@Resolver(() => ApplicationType)
export class ApplicationStatisticsResolver {
  @FieldResolver(() => Statistics, { description: STATISTICS })
  async statistics(
    @Root() { id }: ApplicationType,
    @Ctx() { statistics }: StatisticsContext,
    @Arg("period", () => StatisticsPeriodName, PERIOD) period: Period,
  ): Promise<Statistics> {
    return toGraphqlStatistics(await statisticsOf(statistics, [id], period));
  }

  @FieldResolver(() => Activity, { description: ACTIVITY })
  activity(@Root() { id }: ApplicationType): Activity {
    return { applicationIds: [id] };
  }
}

@Resolver(() => AccountType)
export class AccountStatisticsResolver {
  @FieldResolver(() => Statistics, { description: `${STATISTICS} Of all applications together.` })
  async statistics(
    @Root() { id }: AccountType,
    @Ctx() { statistics }: StatisticsContext,
    @Arg("period", () => StatisticsPeriodName, PERIOD) period: Period,
  ): Promise<Statistics> {
    const ids = await listApplicationIds(statistics.store, id);
    return toGraphqlStatistics(await statisticsOf(statistics, ids, period));
  }

  @FieldResolver(() => Activity, { description: `${ACTIVITY} Of all applications together.` })
  async activity(
    @Root() { id }: AccountType,
    @Ctx() { statistics }: StatisticsContext,
  ): Promise<Activity> {
    return { applicationIds: await listApplicationIds(statistics.store, id) };
  }
}

@Resolver(() => Activity)
export class ActivityResolver {
  @FieldResolver(() => SocketCountsType, {
    description: "Open sockets, over all nodes; those of a node that has crashed for 30 seconds.",
  })
  sockets(
    @Root() { applicationIds }: Activity,
    @Ctx() { statistics }: StatisticsContext,
  ): Promise<SocketCountsType> {
    return readSockets(statistics.store, applicationIds);
  }

  @FieldResolver(() => LiveCount, { description: "Live sessions." })
  sessions(
    @Root() { applicationIds }: Activity,
    @Ctx() { statistics }: StatisticsContext,
  ): Promise<LiveCount> {
    return countLive(statistics, applicationIds, "sessions");
  }

  @FieldResolver(() => LiveCount, {
    description:
      "Calls that ring or are accepted. One that nobody has ended counts for a day after its start.",
  })
  calls(
    @Root() { applicationIds }: Activity,
    @Ctx() { statistics }: StatisticsContext,
  ): Promise<LiveCount> {
    return countLive(statistics, applicationIds, "calls");
  }

  @FieldResolver(() => LiveCount, { description: "Open conferences." })
  conferences(
    @Root() { applicationIds }: Activity,
    @Ctx() { statistics }: StatisticsContext,
  ): Promise<LiveCount> {
    return countLive(statistics, applicationIds, "conferences");
  }

  @FieldResolver(() => LiveCount, { description: "Participants in the open conferences." })
  conferenceParticipants(
    @Root() { applicationIds }: Activity,
    @Ctx() { statistics }: StatisticsContext,
  ): Promise<LiveCount> {
    return countLive(statistics, applicationIds, "conferenceParticipants");
  }
}

function toGraphqlStatistics({ totals, series, ...rest }: PeriodStatistics): Statistics {
  return {
    ...rest,
    totals: toGraphqlCounts(totals),
    series: series.map(({ counts, ...point }) => ({ ...point, counts: toGraphqlCounts(counts) })),
  };
}

function toGraphqlCounts(counts: Counts): StatisticsCounts {
  const { requests, signals, signUps, signIns, failedSignIns, calls, conferences } = counts;
  return {
    ...{ requests, signals, signUps, signIns, failedSignIns, calls, conferences },
    pushes: {
      accepted: counts.pushesAccepted,
      unregistered: counts.pushesUnregistered,
      failed: counts.pushesFailed,
      retried: counts.pushesRetried,
    },
    errors: errorCounts(counts),
  };
}
