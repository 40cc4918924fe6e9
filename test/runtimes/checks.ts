/** What an app must do on every supported runtime: pages, actions, forms, graphs, event streams, webhooks, and recovery after `kill -9`. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createReceiver, createTestClient, type Receiver } from "svckit/testing";
import { verify } from "svckit/webhooks";

const KEY = "operator-key-of-the-matrix";
const SECRET = "a webhook secret with many characters";
const OPERATOR = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
/** Only a runtime that hangs reaches it, and a machine with much other work. */
const LIMIT_MS = 60_000;

/** A command line that starts the app. */
export interface Command {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a package manager starts the app. It gets signals too, and may end with a code of its own. */
  readonly isWrapped?: boolean;
}

interface Server {
  readonly url: string;
  output(): string;
  /** Ends the process and those that it has started. @returns its exit code; null after a signal */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null>;
}

/** Runs all checks. @param dataDir a new folder. @throws an error that says what failed, with the output of the app */
export async function checkApp(command: Command, dataDir: string): Promise<void> {
  const receiver = await createReceiver();
  const env = {
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: "0",
    SVC_DATA_DIR: dataDir,
    SVC_EXEC_API_KEY: KEY,
    SVC_WEBHOOK_URLS: receiver.url,
    SVC_WEBHOOK_SECRET: SECRET,
    SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
  };
  const begin = (): Promise<Server> => startServer({ ...command, env: { ...command.env, ...env } });
  let server = await begin();
  try {
    await checkRequests(server.url);
    const id = await startRun(server.url);
    const before = await readEvents(server.url, id, /node\.waiting/);
    await server.end("SIGKILL");
    server = await begin();
    await checkRecovery(server.url, id, before);
    await checkWebhook(receiver, id);
    const code = await server.end("SIGTERM");
    assert.match(server.output(), /Shutdown requested: the app drains/);
    if (command.isWrapped !== true) assert.equal(code, 0, "the exit code after SIGTERM");
  } catch (error) {
    await server.end("SIGKILL");
    throw new Error(`${(error as Error).message}\n${server.output()}`, { cause: error });
  } finally {
    await receiver.close();
  }
}

async function checkRequests(url: string): Promise<void> {
  const client = createTestClient({ fetch: (request) => fetch(request) }, { origin: url, tokenPage: "/" });
  const page = await client.get("/");
  const html = await page.text();
  assert.equal(page.status, 200);
  assert.match(html, /Count: <?/);
  const script = /(?:src|href)="(\/_svc\/[^"]+\.js)"/.exec(html)?.[1];
  assert.ok(script, "the page has a script");
  assert.equal((await client.get(script)).status, 200, script);
  const { reply } = await client.action("double", 21);
  assert.deepEqual(reply, { ok: true, value: 42, error: null });
  const saved = await client.submit("/save", { name: "Ada" });
  assert.deepEqual([saved.status, await saved.text()], [200, "Saved Ada"]);
}

async function startRun(url: string): Promise<string> {
  const body = JSON.stringify({ worker: "sum", input: { n: 20 } });
  const answer = await fetch(`${url}/_svc/graphs`, { method: "POST", headers: OPERATOR, body });
  assert.equal(answer.status, 202);
  return ((await answer.json()) as { graph_id: string }).graph_id;
}

/** Reads a run's event stream until an event matches. @returns the id of the last event */
async function readEvents(url: string, id: string, wanted: RegExp, after?: string): Promise<string> {
  const headers = { ...OPERATOR, ...(after !== undefined && { "last-event-id": after }) };
  const signal = AbortSignal.timeout(LIMIT_MS);
  const answer = await fetch(`${url}/_svc/graphs/${id}/events`, { headers, signal });
  assert.equal(answer.status, 200);
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of answer.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (!wanted.test(text) || !text.endsWith("\n\n")) continue;
    const last = [...text.matchAll(/^id: ?(\d+)$/gm)].at(-1)?.[1];
    assert.ok(last, "an event has an id");
    // Leaving the loop closes the stream.
    return last;
  }
  throw new Error(`The event stream ended without ${wanted}:\n${text}`);
}

/** After the restart the run waits for its signal, and its step has run once. */
async function checkRecovery(url: string, id: string, lastEvent: string): Promise<void> {
  const init = { method: "POST", headers: OPERATOR, body: JSON.stringify({ name: "go", payload: null }) };
  assert.equal((await fetch(`${url}/_svc/graphs/${id}/signal`, init)).status, 202);
  await readEvents(url, id, /graph\.done/, lastEvent);
  const snapshot = (await (await fetch(`${url}/_svc/graphs/${id}`, { headers: OPERATOR })).json()) as {
    status: string;
    result: unknown;
  };
  assert.deepEqual([snapshot.status, snapshot.result], ["done", 41]);
}

async function checkWebhook(receiver: Receiver, id: string): Promise<void> {
  const deliveries = await receiver.received(1, "30s");
  const delivery = deliveries[0];
  assert.ok(delivery);
  const headers = Object.entries(delivery.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const payload = verify({ body: delivery.body, headers: new Headers(headers), secret: SECRET });
  assert.deepEqual([payload.event, payload.graph_id], ["graph.done", id]);
}

/** @returns the exit code and the output of a command that ends by itself. */
export function run(
  { argv, cwd, env = {} }: Command,
  limitMs = 4 * LIMIT_MS,
): Promise<{ code: number | null; output: string }> {
  const child = spawnCommand({ argv, cwd, env });
  const output = collect(child);
  const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
  return new Promise((done) => {
    child.once("error", (error) => done({ code: null, output: error.message }));
    child.once("close", (code) => {
      clearTimeout(timer);
      done({ code, output: output() });
    });
  });
}

function spawnCommand({ argv: [program = "", ...args], cwd, env }: Command): ChildProcess {
  return spawn(program, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: package managers start the app as a process of theirs.
    detached: true,
    env: { ...process.env, ...env },
  });
}

function collect(child: ChildProcess): () => string {
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  return () => output;
}

async function startServer(command: Command): Promise<Server> {
  const child = spawnCommand(command);
  const output = collect(child);
  const exited = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  const end = (signal: "SIGTERM" | "SIGKILL"): Promise<number | null> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, signal);
    return exited;
  };
  const url = await new Promise<string>((done, fail) => {
    const look = (): void => {
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(/^Ready .*$/m.exec(output())?.[0] ?? "") ?? [];
      if (found !== undefined) done(found);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", look);
    void exited.then((code) => fail(new Error(`The app ended with ${code} before it was ready:\n${output()}`)));
  });
  return { url, output, end };
}
