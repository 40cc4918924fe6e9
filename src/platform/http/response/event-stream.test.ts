import assert from "node:assert/strict";
import { get, type IncomingMessage } from "node:http";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../shared/clock.ts";
import { listenTo, siteHttp, throughBothAdapters } from "../adapters.test.ts";
import { eventStream, untilDrain, type StreamEvent } from "./event-stream.ts";

/** A source that tests control, and which records its end. */
class Source implements AsyncIterable<StreamEvent> {
  isEnded = false;
  readonly #waiting: ((result: IteratorResult<StreamEvent>) => void)[] = [];
  readonly #ready: IteratorResult<StreamEvent>[] = [];
  readonly ended: Promise<void>;
  #onEnd!: () => void;

  constructor() {
    this.ended = new Promise((resolve) => (this.#onEnd = resolve));
  }

  send(event: StreamEvent): void {
    this.#give({ done: false, value: event });
  }

  finish(): void {
    this.#give({ done: true, value: undefined });
  }

  #give(result: IteratorResult<StreamEvent>): void {
    const next = this.#waiting.shift();
    if (next) next(result);
    else this.#ready.push(result);
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent> {
    return {
      next: async () => this.#ready.shift() ?? new Promise((resolve) => this.#waiting.push(resolve)),
      return: async () => {
        this.isEnded = true;
        this.#onEnd();
        return { done: true, value: undefined };
      },
    };
  }
}

function open() {
  const [source, clock, leaving] = [new Source(), new SimulatedClock(), new AbortController()];
  const result = eventStream(source, { clock, signal: leaving.signal });
  const frames = (result.body as AsyncIterable<string>)[Symbol.asyncIterator]();
  const next = async (): Promise<string | undefined> => {
    const { done, value } = await frames.next();
    return done ? undefined : value;
  };
  return { source, clock, leaving, result, next };
}

describe("an event stream", () => {
  it("opens immediately, so that headers reach the browser before the first event", async () => {
    const { next, result } = open();
    assert.equal(await next(), ": open\n\n");
    assert.deepEqual(result.headers.slice(0, 4), [
      "content-type",
      "text/event-stream; charset=utf-8",
      "cache-control",
      "no-store",
    ]);
  });

  it("sends the reconnection delay if one is set", async () => {
    const begin = (retry: number): Promise<IteratorResult<unknown>> => {
      const options = { clock: new SimulatedClock(), signal: new AbortController().signal, retry };
      const { body } = eventStream(new Source(), options);
      return (body as AsyncIterable<string>)[Symbol.asyncIterator]().next();
    };
    assert.equal((await begin(2500)).value, "retry: 2500\n\n");
    for (const retry of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      await assert.rejects(begin(retry), { name: "TypeError", message: /duration/ });
  });

  it("formats id, name and data, each on its line", async () => {
    const { source, next } = open();
    await next();
    source.send({ id: 7, event: "progress", data: { value: 0.5 } });
    assert.equal(await next(), 'id: 7\nevent: progress\ndata: {"value":0.5}\n\n');
    source.send({ data: "alone" });
    assert.equal(await next(), 'data: "alone"\n\n');
    source.send({ id: 0, data: undefined });
    assert.equal(await next(), "id: 0\ndata: null\n\n");
  });

  it("sends text with several lines in one data line", async () => {
    const { source, next } = open();
    await next();
    const lines = "one\ntwo\r\nthree\rfour\u2028five\n\nid: 99";
    source.send({ data: lines });
    const frame = (await next()) ?? "";
    assert.match(frame, /^data: [^\r\n]*\n\n$/);
    assert.equal(JSON.parse(frame.slice("data: ".length)), lines);
  });

  it("rejects an id or name with a line end, and ends its source", async () => {
    for (const event of [
      { id: "1\ndata: forged", data: 1 },
      { event: "a\rb", data: 1 },
      { id: "\0", data: 1 },
    ]) {
      const { source, next } = open();
      await next();
      source.send(event);
      await assert.rejects(next(), { name: "TypeError", message: /must not contain line ends/ });
      assert.equal(source.isEnded, true);
    }
  });

  it("sends a comment after 15 s of silence, and restarts the interval with every event", async () => {
    const { source, clock, next } = open();
    await next();
    let frame: string | undefined;
    const listen = async (): Promise<void> => void (frame = await next());
    void listen();
    await clock.advance(14_999);
    assert.equal(frame, undefined);
    source.send({ data: 1 });
    await clock.advance(0);
    assert.equal(frame, "data: 1\n\n");
    frame = undefined;
    void listen();
    await clock.advance(14_999);
    assert.equal(frame, undefined);
    await clock.advance(1);
    assert.equal(frame, ": still here\n\n");
    void listen();
    await clock.advance(15_000);
    assert.equal(frame, ": still here\n\n");
  });

  it("leaves no timer or listener after any number of events", async () => {
    const { source, clock, leaving, next } = open();
    await next();
    let listeners = 0;
    const { signal } = leaving;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners++;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners--;
      remove(...given);
    };
    for (let at = 0; at < 50; at++) {
      source.send({ id: at, data: at });
      await next();
    }
    assert.deepEqual([clock.pending, listeners], [0, 0]);
  });

  it("ends with its source", async () => {
    const { source, clock, next } = open();
    await next();
    source.send({ data: "last" });
    source.finish();
    assert.equal(await next(), 'data: "last"\n\n');
    assert.equal(await next(), undefined);
    assert.equal(clock.pending, 0);
  });

  it("ends when it is aborted while waiting, and releases source and timer", async () => {
    const { source, clock, leaving, next } = open();
    await next();
    const waiting = next();
    leaving.abort();
    assert.equal(await waiting, undefined);
    assert.deepEqual([source.isEnded, clock.pending], [true, 0]);
  });

  it("sends a closing event when the server drains, also while waiting, with a reconnection delay", async () => {
    const { source, result } = open();
    const draining = new AbortController();
    const frames = untilDrain(result.body as AsyncIterable<string>, draining.signal, () => 0.5);
    await frames.next();
    source.send({ data: 1 });
    assert.equal((await frames.next()).value, "data: 1\n\n");
    const waiting = frames.next();
    draining.abort();
    assert.equal((await waiting).value, "event: closing\nretry: 2000\ndata: {}\n\n");
    assert.equal((await frames.next()).done, true);
  });

  it("is unchanged without a drain, including its end and its failure", async () => {
    const never = new AbortController().signal;
    const failing = (async function* (): AsyncGenerator<string> {
      yield "one";
      throw new Error("the source broke");
    })();
    const frames = untilDrain(failing, never);
    assert.equal((await frames.next()).value, "one");
    await assert.rejects(frames.next(), /the source broke/);
    const ended = untilDrain((async function* () {})(), never);
    assert.equal((await ended.next()).done, true);
  });

  it("rejects with the error of its source", async () => {
    const failing = (async function* (): AsyncGenerator<StreamEvent> {
      yield { data: 1 };
      throw new Error("the source broke");
    })();
    const { body } = eventStream(failing, { clock: new SimulatedClock(), signal: new AbortController().signal });
    const frames = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    await frames.next();
    await frames.next();
    await assert.rejects(frames.next(), /the source broke/);
  });
});

throughBothAdapters(
  "event streams",
  {
    routes: {
      "GET /": (ctx) => {
        const source = new Source();
        // Browsers send it when they reconnect.
        source.send({ id: Number(ctx.header("last-event-id") ?? 0) + 1, data: "next" });
        source.finish();
        return eventStream(source, { clock: new SimulatedClock(), signal: ctx.signal });
      },
    },
  },
  (send) => {
    it("have the type text/event-stream, are not cached, and continue after the client's last event", async () => {
      const reply = await send("/", { headers: { "last-event-id": "41" } });
      assert.equal(reply.headers["content-type"], "text/event-stream; charset=utf-8");
      assert.equal(reply.headers["cache-control"], "no-store");
      assert.equal(reply.headers["content-length"], undefined);
      assert.equal(reply.text, ': open\n\nid: 42\ndata: "next"\n\n');
    });
  },
);

describe("an event stream whose client disconnects", () => {
  const site = (source: Source, clock: SimulatedClock) =>
    siteHttp({ routes: { "GET /": (ctx) => eventStream(source, { clock, signal: ctx.signal }) } });

  it("over a socket releases its source and timer, even if nothing more is sent", async (test) => {
    const [source, clock] = [new Source(), new SimulatedClock()];
    const http = site(source, clock);
    const server = await listenTo(http);
    test.after(() => server.close(0));
    const reply = await new Promise<IncomingMessage>((resolve) => get(server.url, { agent: false }, resolve));
    await new Promise((resolve) => reply.once("data", resolve));
    reply.destroy();
    await source.ended;
    assert.equal(clock.pending, 0);
    await server.close(1000);
    assert.deepEqual(http.faults, []);
  });

  it("in memory releases its source and timer as soon as the body is cancelled", async () => {
    const [source, clock] = [new Source(), new SimulatedClock()];
    const response = await site(source, clock).fetch(new Request("http://a/"));
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await source.ended;
    assert.equal(clock.pending, 0);
  });
});
