/** Against a stub on this machine that speaks the protocol, and misspeaks it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { SimulatedClock } from "../platform/shared/clock.ts";
import { SvcError } from "../platform/shared/errors.ts";
import type { Json } from "../platform/shared/json.ts";
import { createAi, type Ai } from "./ai.ts";

interface Asked {
  path: string;
  authorization: string | undefined;
  body: Record<string, Json>;
}

let server: Server;
let ai: Ai;
let asked: Asked[] = [];
let answer: (reply: ServerResponse) => void;
const clock = new SimulatedClock();
const KEY = "sk-very-secret";

async function take(message: IncomingMessage, reply: ServerResponse): Promise<void> {
  let text = "";
  for await (const part of message) text += String(part);
  const body = JSON.parse(text) as Record<string, Json>;
  asked.push({ path: message.url ?? "", authorization: message.headers.authorization, body });
  answer(reply);
}

function url(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** What the stub says, event by event. */
function says(...events: (object | string)[]): void {
  asked = [];
  answer = (reply) => {
    reply.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) reply.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    reply.end();
  };
}

function says1(status: number, type: string, body: string): void {
  asked = [];
  answer = (reply) => reply.writeHead(status, { "content-type": type }).end(body);
}

const delta = (content: string, finish: string | null = null): object => ({
  model: "small-2",
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});
const USAGE = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };

function witness(): { told: [string, Json | undefined][]; emit(name: string, data?: Json): void } {
  const told: [string, Json | undefined][] = [];
  return { told, emit: (name, data) => void told.push([name, data]) };
}

describe("a call of a model", () => {
  before(async () => {
    server = createServer((message, reply) => void take(message, reply)).listen(0, "127.0.0.1");
    await once(server, "listening");
    ai = createAi({ url: `${url()}/`, key: KEY, model: "small", allowCidrs: ["127.0.0.1/32"], clock });
  });
  after(async () => {
    await ai.close();
    server.closeAllConnections();
    server.close();
  });

  it("sends the messages with model and key, and gives text and usage", async () => {
    says(delta("Hel"), delta("lo", "stop"), { choices: [], usage: USAGE }, "[DONE]");
    const got = await ai.ask({ messages: "Hi", params: { temperature: 0 } });
    assert.deepEqual(got, { text: "Hello", toolCalls: [], finish: "stop", model: "small-2", usage: USAGE });
    assert.deepEqual(asked, [
      {
        path: "/v1/chat/completions",
        authorization: `Bearer ${KEY}`,
        body: {
          model: "small",
          messages: [{ role: "user", content: "Hi" }],
          stream: true,
          stream_options: { include_usage: true },
          temperature: 0,
        },
      },
    ]);
  });

  it("tells its caller the text in pieces and the tokens once", async () => {
    says(delta("one "), delta("two "), delta("three", "stop"), { choices: [], usage: USAGE }, "[DONE]");
    const caller = witness();
    await ai.ask("Count", caller);
    assert.deepEqual(caller.told, [
      ["ai.usage", { model: "small-2", ...USAGE }],
      ["ai.text", { text: "one two three" }],
    ]);
  });

  it("streams the text as it comes and returns the answer", async () => {
    says(delta("a"), delta("b", "stop"), "[DONE]");
    const parts = ai.stream("Go");
    assert.deepEqual(await parts.next(), { value: "a", done: false });
    assert.deepEqual(await parts.next(), { value: "b", done: false });
    const last = await parts.next();
    assert.equal(last.done && last.value.text, "ab");
  });

  it("puts the calls of functions together", async () => {
    const call = (part: object): object => ({ choices: [{ delta: { tool_calls: [part] }, finish_reason: null }] });
    says(
      call({ index: 0, id: "c1", function: { name: "add", arguments: "" } }),
      call({ index: 0, function: { arguments: '{"a":' } }),
      call({ index: 0, function: { arguments: "1}" } }),
      call({ index: 1, id: "c2", function: { name: "now", arguments: "{}" } }),
      delta("", "tool_calls"),
    );
    const { toolCalls } = await ai.ask("Add");
    assert.deepEqual(toolCalls, [
      { id: "c1", name: "add", arguments: '{"a":1}' },
      { id: "c2", name: "now", arguments: "{}" },
    ]);
  });

  it("takes an answer that comes at once", async () => {
    const whole = {
      model: "m",
      choices: [{ message: { role: "assistant", content: "All" }, finish_reason: "stop" }],
      usage: USAGE,
    };
    says1(200, "application/json; charset=utf-8", JSON.stringify(whole));
    const caller = witness();
    assert.equal((await ai.ask("Go", caller)).text, "All");
    assert.deepEqual(
      caller.told.map(([name]) => name),
      ["ai.usage", "ai.text"],
    );
  });

  it("fails for good where the request is refused, and never tells the key", async () => {
    says1(401, "application/json", JSON.stringify({ error: { message: `Wrong key ${KEY}` } }));
    await assert.rejects(ai.ask("Hi"), (error) => {
      assert.ok(error instanceof SvcError && error.code === "SVC_UPSTREAM");
      assert.ok("isFinal" in error && error.isFinal === true);
      assert.match(error.message, /401 .*Wrong key …/);
      return !error.message.includes(KEY);
    });
  });

  it("may be tried again where the endpoint is busy or down", async () => {
    for (const status of [429, 503]) {
      says1(status, "text/plain", "later");
      await assert.rejects(
        ai.ask("Hi"),
        (error) => error instanceof SvcError && !("isFinal" in error) && error.message.includes(`${status} later`),
      );
    }
  });

  for (const [what, events, part] of [
    ["breaks off", [delta("half")], "broke off"],
    ["says nothing", [], "answered nothing"],
    ["sends no JSON", ["<html>"], "else than JSON"],
    ["sends an error in the stream", [{ error: { message: "overloaded" } }], "overloaded"],
  ] as const) {
    it(`fails when the endpoint ${what}`, async () => {
      says(...events);
      await assert.rejects(
        ai.ask("Hi"),
        (error) => error instanceof SvcError && error.code === "SVC_UPSTREAM" && error.message.includes(part),
      );
    });
  }

  it("follows no redirect: the key is for one endpoint", async () => {
    asked = [];
    answer = (reply) => reply.writeHead(307, { location: "/elsewhere" }).end();
    await assert.rejects(ai.ask("Hi"), (error) => error instanceof SvcError && error.code === "SVC_UPSTREAM");
    assert.equal(asked.length, 1);
  });

  it("ends with its caller, and with a loop that is left", async () => {
    const closed: Promise<unknown>[] = [];
    answer = (reply) => {
      reply.writeHead(200, { "content-type": "text/event-stream" });
      reply.write(`data: ${JSON.stringify(delta("on"))}\n\n`);
      closed.push(once(reply, "close"));
    };
    for await (const text of ai.stream("Go")) {
      assert.equal(text, "on");
      break;
    }
    await closed[0];
    const caller = new AbortController();
    const parts = ai.stream("Go", { signal: caller.signal });
    await parts.next();
    caller.abort(new Error("cancelled"));
    await assert.rejects(parts.next(), /cancelled/);
    await closed[1];
  });

  it("reaches no endpoint inside the network that was not named", async () => {
    asked = [];
    const unnamed = createAi({ url: url(), model: "small" });
    await assert.rejects(unnamed.ask("Hi"), (error) => error instanceof SvcError && error.code === "SVC_SSRF");
    assert.deepEqual(asked, []);
    await unnamed.close();
  });
});
