import type { Feed } from "../engine";
import { notFound } from "./connection/janus-faults";
import { feedIdOf } from "./feed-id";
import type { JanusPublisher } from "./publisher";

/** The publishing peers of a room by the id of their feed. */
export class PublisherIndex {
  private readonly byFeed = new Map<string, JanusPublisher>();

  add(publisher: JanusPublisher): void {
    this.byFeed.set(publisher.feedId, publisher);
  }

  /** Removes a publisher, unless another one has taken its place. */
  remove(publisher: JanusPublisher): void {
    if (this.byFeed.get(publisher.feedId) === publisher) this.byFeed.delete(publisher.feedId);
  }

  /** The publisher of a feed, whether or not its media flows. */
  get(feedId: string): JanusPublisher | undefined {
    return this.byFeed.get(feedId);
  }

  /** The publisher of a feed whose media flows. */
  find(feedId: string): JanusPublisher | undefined {
    const publisher = this.byFeed.get(feedId);
    return publisher?.up ? publisher : undefined;
  }

  /** The publisher of a feed whose media flows. @throws Fault NOT_FOUND */
  require(feed: Feed): JanusPublisher {
    const publisher = this.find(feedIdOf(feed));
    if (!publisher) throw notFound("feed");
    return publisher;
  }

  [Symbol.iterator](): Iterator<JanusPublisher> {
    return this.byFeed.values();
  }
}
