/**
 * The stream of a page: one connection for all its widgets, whose topics stand sealed in the address. At most ten patches a second;
 * the id of each says where every topic stands, so that whoever comes back misses nothing and gets nothing twice.
 */
import { setMaxListeners } from "node:events";
import { eventStream, route, SvcError, type App, type Context, type RouteDefinition } from "../../index.ts";
import { systemClock } from "../../graph.ts";
import { DOM } from "../../internal.ts";
import type { StreamEvent } from "../../index.ts";
import { LIVE_PURPOSE } from "../widgets/load-widgets.ts";
import { pause } from "./change-signal.ts";
import { FeedHub } from "./feed-hub.ts";
import type { Feed, LiveTopic, Patch } from "./topics.ts";

/** Between two patches to one page. */
const PATCH_MS = 100;
/** Where a topic stands of which nothing has come yet. With nothing in its place the first one would be lost: HTTP trims its fields. */
const UNKNOWN = "-";

/**
 * The endpoint behind the widgets, for apps of the base variant: `createApp({ extensions: { live: liveRoutes(() => app) } })`. The full-stack
 * variant has it by itself.
 */
export function liveRoutes(app: () => App): RouteDefinition[] {
  const hub = new FeedHub(app);
  return [route("GET", "/", (ctx) => answer(ctx, hub, app()))];
}

function answer(ctx: Context, hub: FeedHub, app: App) {
  const sealed = ctx.query.getAll("on");
  if (sealed.length === 0 || sealed.length > DOM.liveMost)
    throw new SvcError(
      "SVC_BAD_REQUEST",
      `A connection follows 1 to ${DOM.liveMost} topics ("on"); ${sealed.length} were given`,
    );
  const topics = sealed.map((text) => opened(text, app));
  const known = ctx.header("last-event-id")?.split(" ") ?? ctx.query.getAll("at");
  const cursors = topics.map((_, at) => (/^\d{1,15}$/.test(known[at] ?? "") ? (known[at] as string) : ""));
  const { signal } = ctx;
  return eventStream(news(), { clock: systemClock, signal, retry: 1000 });

  /** What goes on is shown by this server's clock: the browser's may be off. */
  async function* news(): AsyncGenerator<StreamEvent> {
    yield { event: DOM.liveNow, data: app.operations.nowMs() };
    yield* follow(hub, topics, cursors, signal);
  }
}

function opened(text: string, app: App): LiveTopic {
  // Nobody else can have sealed it.
  const topic = app.unseal(LIVE_PURPOSE, text) as unknown as LiveTopic | undefined;
  if (topic && isOpen(topic, app)) return withoutToken(topic);
  throw new SvcError("SVC_UNAUTHORIZED", "This page may not follow that any more; load it again");
}

/** A token may be over before the address is. */
function isOpen(topic: LiveTopic, app: App): boolean {
  return !("token" in topic) || app.mayReadGraph(topic.id, topic.token);
}

/** Whoever follows the same shares a feed, with whatever they came by. */
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

/** Moves the cursors on. */
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
  // Each feed listens: no leak, of which Node would warn from the eleventh on.
  setMaxListeners(Infinity, either);
  try {
    await Promise.race(feeds.map((feed, at) => feed.changed(seen[at] ?? -1, either)));
  } finally {
    done.abort();
  }
}
