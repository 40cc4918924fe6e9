import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createApp, type App } from "../../index.ts";
import { systemClock, worker, type Clock, type Json } from "../../graph.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { readFlow } from "../widgets/load-widgets.ts";
import { liveRoutes } from "./live-routes.ts";
import type { LiveTopic, Patch } from "./topics.ts";

const DEADLINE_MS = 20_000;

interface Message {
  id: string;
  patches: (Patch & { on: number })[];
}

async function bench(run: (app: App, url: string) => Promise<void>, clock: Clock = systemClock): Promise<void> {
  let letGo = (): void => undefined;
  const opened = new Promise<void>((done) => (letGo = done));
  const talk = worker("talk", async (lines: number, ctx) => {
    for (let line = 1; line <= lines; line++) ctx.log("info", `line ${line}`);
    return "over";
  });
  const hold = worker("hold", () => opened);
  const app: App = createApp({
    clock,
    workers: [talk, hold],
    extensions: { live: liveRoutes(() => app) },
    env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), SVC_LOG_LEVEL: "silent" },
  });
  const started = await app.start({ host: "127.0.0.1", port: 0 });
  try {
    await run(app, started.url);
  } finally {
    letGo();
    await started.close();
  }
}

/** As a page without a session has it. */
function sealed(app: App, topic: LiveTopic, lifetimeMs = 60_000): string {
  return app.seal("live", { of: { ...topic }, by: {} }, lifetimeMs);
}

function addressOf(app: App, topic: LiveTopic): string {
  return `/_svc/live?on=${sealed(app, topic)}`;
}

/** Runs a graph until it ends. */
async function ended(app: App, name: string, input: Json): Promise<string> {
  const { graph_id } = (await app.engine.start(name, input)).snapshot;
  for await (const _event of app.engine.subscribe(graph_id, 0, AbortSignal.timeout(DEADLINE_MS)));
  return graph_id;
}

/** Reads messages until one matches. */
async function follow(src: string, until: (message: Message) => boolean, lastEventId?: string): Promise<Message[]> {
  const leave = new AbortController();
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(DEADLINE_MS)]);
  const response = await fetch(src, { headers, signal });
  assert.equal(response.status, 200, await (response.ok ? "" : response.text()));
  const messages: Message[] = [];
  let text = "";
  assert.ok(response.body);
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const [, id = "", data] = /^id: (.*)\ndata: (.*)$/m.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (data === undefined) continue;
      const message = { id, patches: JSON.parse(data) as Message["patches"] };
      messages.push(message);
      if (!until(message)) continue;
      leave.abort();
      return messages;
    }
  }
  return messages;
}

function seqsOf(messages: readonly Message[], on: number): number[] {
  const rows = messages.flatMap(({ patches }) =>
    patches.filter((patch) => patch.on === on).flatMap(({ rows = [] }) => rows),
  );
  return rows.map((row) => Number(/data-seq="(\d+)"/.exec(row)?.[1]));
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

describe("The live stream of a page's widgets", () => {
  it("delivers all events of a graph in order, at most 40 per patch", () =>
    bench(async (app, url) => {
      const id = await ended(app, "talk", 150);
      const last = (await app.engine.snapshot(id))?.last_seq ?? 0;
      const src = addressOf(app, { topic: "events", id });
      const messages = await follow(`${url}${src}&at=0`, (message) => message.id === String(last));
      assert.deepEqual(seqsOf(messages, 0), upTo(last));
      assert.ok(messages.every(({ patches }) => (patches[0]?.rows?.length ?? 0) <= 40));
    }));

  it("continues after the last event that the page has, on any server", () =>
    bench(async (app, url) => {
      const id = await ended(app, "talk", 20);
      const last = (await app.engine.snapshot(id))?.last_seq ?? 0;
      const src = addressOf(app, { topic: "events", id });
      const messages = await follow(`${url}${src}&at=0`, () => true, "7");
      assert.deepEqual(seqsOf(messages, 0), upTo(last).slice(7));
    }));

  it("omits rows for a follower that is far behind, and reports their number", () =>
    bench(async (app, url) => {
      const id = await ended(app, "talk", 1000);
      const last = (await app.engine.snapshot(id))?.last_seq ?? 0;
      const src = addressOf(app, { topic: "events", id });
      const messages = await follow(`${url}${src}&at=0`, (message) => message.id === String(last));
      const skipped = messages.reduce((sum, { patches }) => sum + (patches[0]?.skipped ?? 0), 0);
      assert.equal(skipped, last - 300);
      assert.deepEqual(seqsOf(messages, 0), upTo(last).slice(skipped));
    }));

  it("carries many widgets, with the position of each", () =>
    bench(async (app, url) => {
      const id = await ended(app, "talk", 1);
      const flow = (await readFlow(app, id)) ?? assert.fail();
      const topics: LiveTopic[] = [flow.topic, { topic: "events", id }, { topic: "workers" }];
      const on = topics.map((topic) => addressOf(app, topic)).map((src) => src.slice(src.indexOf("on=")));
      const src = `/_svc/live?${on.join("&")}&at=${flow.view.seq}&at=0&at=`;
      const seen = new Set<number>();
      const messages = await follow(url + src, ({ patches }) => {
        for (const patch of patches) seen.add(patch.on);
        return seen.has(1) && seen.has(2);
      });
      // The page already shows the current state of the graph.
      assert.deepEqual(
        [...seen].sort((a, b) => a - b),
        [1, 2],
      );
      assert.match(messages.at(-1)?.id ?? "", new RegExp(`^${flow.view.seq} ${flow.view.seq} \\d+$`));
    }));

  it("continues at the position of each widget, even if the first one has not received anything yet", () =>
    bench(async (app, url) => {
      const id = await ended(app, "talk", 100);
      const none = sealed(app, { topic: "graph", id: "g_none" });
      const src = addressOf(app, { topic: "events", id });
      const both = `${url}/_svc/live?on=${none}&${src.slice(src.indexOf("on="))}&at=&at=0`;
      const [first] = await follow(both, () => true);
      assert.equal(first?.id, "- 40");
      const [second] = await follow(both, () => true, first.id);
      assert.equal(seqsOf(second ? [second] : [], 1)[0], 41);
    }));

  it("sends all parts of a graph to a page with an unknown state", () =>
    bench(async (app, url) => {
      const id = await ended(app, "talk", 1);
      const src = addressOf(app, { topic: "graph", id });
      const [message] = await follow(`${url}${src}&at=1`, () => true);
      assert.deepEqual(Object.keys(message?.patches[0]?.parts ?? {}).sort(), ["l:talk", "n:talk", "state", "summary"]);
    }));

  it("accepts only sealed URLs that have not expired", () =>
    bench(async (app, url) => {
      const other = app.seal("something else", { topic: "workers" }, "1h");
      const over = sealed(app, { topic: "workers" }, 0);
      for (const address of ["?on=made-up", `?on=${other}`, `?on=${over}`])
        assert.equal((await fetch(`${url}/_svc/live${address}`)).status, 401, address);
      assert.equal((await fetch(`${url}/_svc/live`)).status, 400);
      const good = `on=${sealed(app, { topic: "workers" })}`;
      assert.equal((await fetch(`${url}/_svc/live?${Array.from({ length: 21 }, () => good).join("&")}`)).status, 400);
    }));

  it("asks for a new address instead of sending news, five minutes after it began", () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 1));
    return bench(async (app, url) => {
      const id = (await app.engine.start("hold", null)).snapshot.graph_id;
      const signal = AbortSignal.timeout(DEADLINE_MS);
      const response = await fetch(`${url}${addressOf(app, { topic: "events", id })}&at=0`, { signal });
      let text = "";
      for await (const chunk of (response.body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (!/^data: \[/m.test(text) || clock.now() > Date.UTC(2026, 0, 1)) continue;
        await clock.advance(5 * 60_000);
        await app.engine.cancel(id);
      }
      assert.match(text, /event: renew\ndata: null\n\n$/);
      assert.doesNotMatch(text, /graph\.failed|graph\.cancelled/);
    }, clock);
  });

  it("ends when the page disconnects", () =>
    bench(async (app, url) => {
      const id = (await app.engine.start("hold", null)).snapshot.graph_id;
      const src = addressOf(app, { topic: "graph", id });
      await follow(`${url}${src}&at=`, () => true);
      const untilNone = AbortSignal.timeout(DEADLINE_MS);
      while ((await app.operations.status()).event_streams > 0) {
        untilNone.throwIfAborted();
        await new Promise((done) => setImmediate(done));
      }
    }));
});
