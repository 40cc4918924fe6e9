/** Shares one feed per topic among its followers. A feed starts with the first follower and stops with the last. */
import type { App } from "../../index.ts";
import { changeLogOf } from "./change-log.ts";
import { ChangesFeed } from "./changes-feed.ts";
import { EventsFeed, GraphPartsFeed } from "./graph-feed.ts";
import { OverviewFeed, WorkersFeed } from "./state-feed.ts";
import type { Feed, LiveTopic } from "./topics.ts";

export class FeedHub {
  readonly #app: () => App;
  readonly #feeds = new Map<string, { feed: Feed; followers: number }>();

  constructor(app: () => App) {
    this.#app = app;
  }

  /** Call `release` once for each topic that was taken. */
  take(topic: LiveTopic): Feed {
    const key = JSON.stringify(topic);
    let entry = this.#feeds.get(key);
    if (!entry) this.#feeds.set(key, (entry = { feed: this.#make(topic), followers: 0 }));
    entry.followers++;
    return entry.feed;
  }

  release(topic: LiveTopic): void {
    const key = JSON.stringify(topic);
    const entry = this.#feeds.get(key);
    if (!entry || --entry.followers > 0) return;
    this.#feeds.delete(key);
    entry.feed.stop();
  }

  #make(topic: LiveTopic): Feed {
    const app = this.#app();
    const onError = (err: unknown): void => app.log.error({ err, topic: topic.topic }, "A live widget's feed failed");
    switch (topic.topic) {
      case "graph":
        return new GraphPartsFeed(app, topic.id, topic.nodeHref, onError);
      case "events":
        return new EventsFeed(app, topic.id, onError);
      case "workers":
        return new WorkersFeed(app, onError);
      case "overview":
        return new OverviewFeed(app, topic.runHref, onError);
      case "changes":
        return new ChangesFeed(changeLogOf(app), topic.of, onError);
    }
  }
}
