import type { Clock } from "../../core/clock";
import type { Store } from "../../platform/store/store";
import type { RequestContext } from "../access/request-context";

/** Dependencies of the functions of this module. */
export interface StatisticsDeps {
  store: Store;
  clock: Clock;
}

/** Context of the resolvers of this module. */
export interface StatisticsContext extends RequestContext {
  statistics: StatisticsDeps;
}
