/**
 * The event stream of a page: one connection for all its widgets, whose topics are sealed in the URL. At most ten patches a second. Each
 * message's ID carries the position of every topic, so a reconnecting client misses nothing and gets nothing twice.
 */
import { setMaxListeners } from "node:events";
import { eventStream, route, SvcError, type App, type Context, type RouteDefinition } from "../../index.ts";
import { systemClock } from "../../graph.ts";
import { DOM } from "../../internal.ts";
import type { StreamEvent } from "../../index.ts";
import { pause } from "./change-signal.ts";
import { FeedHub } from "./feed-hub.ts";
import { LIVE_MS, openLive } from "./live-access.ts";
import type { Feed, LiveTopic, Patch } from "./topics.ts";

/** Minimum time between two patches to one page. */
const PATCH_MS = 100;
/** The position of a topic without any patch yet. An empty string would be lost, because HTTP trims header fields. */
const UNKNOWN = "-";

/**
 * The endpoint behind the widgets, for apps that use the base package: `createApp({ extensions: { live: liveRoutes(() => app) } })`. The
 * full-stack package adds it itself.
 * @example
 * const app = createApp({ extensions: { live: liveRoutes(() => app) } });
 */
export function liveRoutes(app: () => App): RouteDefinition[] {
  const hub = new FeedHub(app);
  return [route("GET", "/", (ctx) => answer(ctx, hub, app()))];
}

async function answer(ctx: Context, hub: FeedHub, app: App) {
  const sealed = ctx.query.getAll("on");
  if (sealed.length === 0 || sealed.length > DOM.liveMost)
    throw new SvcError(
      "SVC_BAD_REQUEST",
      `A connection follows 1 to ${DOM.liveMost} topics ("on"), not ${sealed.length}`,
    );
  const topics = await Promise.all(sealed.map((text) => opened(text, ctx, app)));
  const known = ctx.header("last-event-id")?.split(" ") ?? ctx.query.getAll("at");
  const cursors = topics.map((_, at) => (/^\d{1,15}$/.test(known[at] ?? "") ? (known[at] as string) : ""));
  const { signal } = ctx;
  return eventStream(news(), { clock: systemClock, signal, retry: 1000 });

  /**
   * Sends the server's time first, because widgets show elapsed times by it: the browser's clock may be off. Instead of news after the
   * lifetime of an address, it asks the page for a new address, which the page gets only if it still has access.
   */
  async function* news(): AsyncGenerator<StreamEvent> {
    const openedMs = app.operations.nowMs();
    yield { event: DOM.liveNow, data: openedMs };
    for await (const event of follow(hub, topics, cursors, signal)) {
      if (app.operations.nowMs() - openedMs < LIVE_MS) yield event;
      else return yield { event: DOM.liveRenew, data: null };
    }
  }
}

async function opened(text: string, ctx: Context, app: App): Promise<LiveTopic> {
  const topic = await openLive(app, ctx, text);
  if (topic) return withoutToken(topic);
  throw new SvcError("SVC_UNAUTHORIZED", "The page's access to this live data has expired. Reload the page");
}

/** Followers of the same topic share a feed, whatever token they used. */
function withoutToken(topic: LiveTopic): LiveTopic {
  if (!("token" in topic)) return topic;
  const { token: _token, ...rest } = topic;
  return rest;
}

async function* follow(
  hub: FeedHub,
  topics: readonly LiveTopic[],
  cursors: string[],
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const feeds = topics.map((topic) => hub.take(topic));
  try {
    while (!signal.aborted) {
      const seen = feeds.map(({ version }) => version);
      const { patches, hasMore } = await collect(feeds, cursors);
      if (patches.length > 0) yield { id: cursors.map((cursor) => cursor || UNKNOWN).join(" "), data: patches };
      await pause(PATCH_MS, signal);
      if (!hasMore) await anyChanged(feeds, seen, signal);
    }
  } finally {
    for (const topic of topics) hub.release(topic);
  }
}

/** Advances the cursors. */
async function collect(feeds: readonly Feed[], cursors: string[]) {
  const patches: ({ on: number } & Patch)[] = [];
  let hasMore = false;
  for (const [at, feed] of feeds.entries()) {
    const news = await feed.since(cursors[at] ?? "");
    if (!news) continue;
    cursors[at] = news.cursor;
    hasMore ||= news.hasMore ?? false;
    if (news.patch.parts || news.patch.rows) patches.push({ on: at, ...news.patch });
  }
  return { patches, hasMore };
}

async function anyChanged(feeds: readonly Feed[], seen: readonly number[], signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  // Each feed adds a listener. Node would warn about a leak from the eleventh on.
  setMaxListeners(Infinity, either);
  try {
    await Promise.race(feeds.map((feed, at) => feed.changed(seen[at] ?? -1, either)));
  } finally {
    done.abort();
  }
}
