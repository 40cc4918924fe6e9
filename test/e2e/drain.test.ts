/** A real process that gets SIGTERM while it works: the work it completes, the work it leaves, and its exit code. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { API_KEY, type DemoServer } from "./demo-server.ts";
import { drainApp } from "./drain-app.ts";
import { graphEvents, startGraph, type ApiEvent, type StartedGraph } from "./graph-api.ts";

/** Much longer than any test, so that an early exit proves that the process did not wait for it. */
const NEVER = "10m";

const app = drainApp();
let graph: StartedGraph;
let server: DemoServer | undefined;

after(async () => {
  await server?.stop("SIGKILL");
  app.remove();
});

describe("a process that gets SIGTERM", () => {
  it("ends event streams with a closing event, aborts the worker at the deadline and exits with 0", async () => {
    server = await app.start("1s");
    graph = await startGraph(server.url, { worker: "steps", input: null });
    const { response, text } = await follow(server.url, graph);
    await until(() => app.journal().includes("at second"), "the second step runs");
    assert.equal(response.status, 200);
    const exited = server.stop();
    assert.match(await text, /event: closing\nretry: \d+\ndata: \{\}\n\n$/);
    assert.equal(await exited, 0, server.output());
  });

  it("resumes an interrupted step after a restart, and completes a running request before it exits with 0", async () => {
    server = await app.start(NEVER);
    await until(() => app.journal().filter((line) => line === "at second").length === 2, "the second step runs again");
    const slow = fetch(`${server.url}/slow`);
    await until(() => app.journal().includes("at slow"), "the request is being answered");
    const { text } = await follow(server.url, graph);
    const exited = server.stop();
    await text; // The drain has begun: streams have ended.
    await assert.rejects(fetch(`${server.url}/health`), "nothing new is accepted");
    app.open("second");
    app.open("slow");
    const answer = await slow;
    assert.equal(answer.headers.get("connection"), "close");
    assert.equal(await answer.text(), "slow but whole");
    assert.equal(await exited, 0, server.output());
  });

  it("loses nothing: the graph is done, each step ran once, and its events have no gap", async () => {
    server = await app.start(NEVER);
    const events: ApiEvent[] = [];
    for await (const event of graphEvents(server.url, graph)) events.push(event);
    assert.equal(events.at(-1)?.type, "graph.done");
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, at) => at + 1),
    );
    const done = events.filter(({ type }) => type === "node.done").map(({ node }) => node);
    assert.deepEqual(done, ["first", "second", "third"]);
    assert.deepEqual(
      app.journal().filter((line) => line.startsWith("done")),
      ["done first", "done second", "done third"],
    );
  });

  it("exits immediately with 143 at the second signal", async () => {
    assert.ok(server);
    const stuck = fetch(`${server.url}/stuck`).catch((error: unknown) => error);
    await until(() => app.journal().includes("at stuck"), "the request is being answered");
    const { url } = server;
    const exited = server.stop();
    await until(async () => (await fetch(`${url}/health`).catch(() => undefined)) === undefined, "the drain has begun");
    await server.stop();
    assert.equal(await exited, 143);
    assert.ok((await stuck) instanceof Error);
  });

  it("exits with 1 and reports it when a request is not answered by the deadline", async () => {
    server = await app.start("1ms");
    const stuck = fetch(`${server.url}/stuck`).catch((error: unknown) => error);
    await until(
      () => app.journal().filter((line) => line === "at stuck").length === 2,
      "the request is being answered",
    );
    assert.equal(await server.stop(), 1);
    assert.ok((await stuck) instanceof Error);
    assert.match(server.output(), /1 request was cut off at the deadline/);
    assert.match(server.output(), /"cutRequests":1,"msg":"The deadline of the drain passed/);
  });
});

describe("a process with an uncaught error", () => {
  it("exits with 1, and logs the error in one line", async () => {
    server = await app.start(NEVER);
    const { url, stop, output } = server;
    await fetch(`${url}/crash`).catch(() => undefined); // it may end before it has answered
    await until(() => output().includes("Uncaught error: the process exits"), "it is logged");
    // The process has exited before this signal.
    assert.equal(await stop(), 1);
    assert.match(output(), /^\{"level":50,.*"message":"nobody catches this".*\}$/m);
  });
});

/** The events of a graph as a browser gets them. Resolves once the stream is open. */
async function follow(url: string, { graph_id }: StartedGraph): Promise<{ response: Response; text: Promise<string> }> {
  const headers = { authorization: `Bearer ${API_KEY}` };
  const response = await fetch(`${url}/_svc/graphs/${graph_id}/events`, { headers });
  return { response, text: response.text() };
}

async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let attempt = 0; attempt < 3000; attempt++) {
    if (await isTrue()) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.fail(`${what}: not within a minute`);
}
