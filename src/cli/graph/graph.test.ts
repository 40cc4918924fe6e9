import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Started } from "../../app/app-types.ts";
import { createApp } from "../../app/app.ts";
import { graph, worker } from "../../graphs/definition/definition.ts";
import { FinalError } from "../../graphs/definition/final-error.ts";
import type { Environment } from "../command.ts";
import { graphCommand } from "./graph-command.ts";
import { GraphClient } from "./graph-client.ts";
import { graph as runGraph, type GraphCommand } from "./graph.ts";
import { createOutput } from "../output.ts";

const KEY = "a-key-for-the-operator";
const double = worker("double", (n: number) => n * 2);
const refuse = worker("refuse", () => {
  throw new FinalError("never", { cause: new Error("a rule") });
});
const asked = worker("asked", (_: null, ctx) => ctx.waitFor("answer"));
const fan = graph("fan", (g) => {
  const list = g.node(
    "list",
    worker("list", () => [1, 2, 3]),
  );
  const items = g.map("double", double, list, (all) => all);
  return g.node("none", refuse, { after: [items], when: () => false });
});

const read = (...args: string[]) => graphCommand.read(args, { cwd: "/srv", env: {}, nowMs: Date.now() });

function commandOf(args: readonly string[], env: Environment = {}, nowMs = Date.now()): GraphCommand {
  const reading = graphCommand.read(args, { cwd: "/srv", env, nowMs });
  assert.ok(reading.kind === "run", JSON.stringify(reading));
  return reading.task;
}

describe("the command line of svc graph", () => {
  const mistakes: [string[], RegExp][] = [
    [[], /^No verb given. Verbs: ls, .*, check\n\nRun "svc graph --help"/],
    [["lss"], /^svc graph has no verb "lss"; did you mean "ls"\?\n\nRun "svc graph --help"/],
    [["list"], /^svc graph has no verb "list"; did you mean "ls"\?/],
    [["inspect"], /^svc graph has no verb "inspect"; it has ls, .*, check\n/],
    [["show"], /^svc graph show needs the id of a run/],
    [["send"], /^svc graph send needs the name of an event/],
    [["signal", "g_1"], /^svc graph signal needs the id of a run and the name of a signal/],
    [["signal", "g_1", "ok", "no"], /^svc graph signal takes no argument "no"/],
    [["start"], /^svc graph start needs the name of a graph or worker/],
    [["ls", "g_1"], /^svc graph ls takes no argument "g_1"/],
    [["show", "g_1", "g_2"], /^svc graph show takes no argument "g_2"/],
    [["show", "g_1", "--note", "x"], /^svc graph show takes no --note/],
    [["start", "a", "--input", "{"], /^--input is not valid JSON/],
    [["start", "a", "--input", "@/no/such/file"], /ENOENT/],
    [["start", "a", "--delay", "1s"], /^--delay is "1s"\. It must be a whole number of milliseconds/],
    [["start", "a", "--ttl", "soon"], /^--ttl is "soon"\. It must be such as 30s or 5m/],
    [["schedules", "backfill", "nightly"], /^svc graph schedules backfill needs --since, the begin of the period/],
    [["ls", "--tag", "a", "--tag", "b"], /^svc graph ls takes one --tag/],
    [["start", "a", "--attribute", "cents>5"], /^--attribute is "cents>5"\. A start sets a value/],
    [["start", "a", "--attribute", "plan"], /^--attribute is not valid: .*"plan" where a condition is expected/],
    [["ls", "--nowhere"], /^Unknown option '--nowhere'\n\nRun "svc graph --help"/],
    [["ls", "--stauts", "done"], /^Unknown option '--stauts'; did you mean --status\?\n\nRun "svc graph --help"/],
    [["fork", "g_1"], /^svc graph fork needs --from/],
    [["retry", "g_1", "--input", "1"], /^svc graph retry takes no --input/],
    [
      ["schedules", "explode", "x"],
      /^svc graph schedules has no action "explode"; it has pause, resume, trigger, backfill/,
    ],
    [["schedules", "pause"], /^svc graph schedules pause needs a name/],
    [["queues", "trigger", "x"], /^svc graph queues has no action "trigger"/],
    [["ls", "--since", "yesterday"], /^--since is "yesterday"; it must be a time such as/],
    [["pause", "g_1", "--grace", "long"], /^--grace is "long"\. It must be such as 30s/],
    [["cancel", "g_1", "--yes"], /^svc graph cancel takes no --yes/],
    [["start", "a", "--priority", "high"], /^--priority is "high"\. It must be a whole number/],
    [["bulk"], /^svc graph bulk needs an action: pause, resume, cancel, retry, purge/],
    [["bulk", "explode"], /^svc graph bulk has no action "explode"/],
    [["bulk", "cancel", "--yes"], /^svc graph bulk cancel needs a filter/],
    [["bulk", "cancel", "--worker", "a", "--before", "1d"], /^svc graph bulk cancel takes no --before/],
    [["ls", "--longer", "soon"], /^--longer is "soon"; it must be a length of time such as 30s or 5m/],
    [["check", "this"], /^svc graph check takes no argument "this"/],
    [["check", "--sample", "all"], /^--sample is "all"\. It must be a whole number/],
  ];
  for (const [args, expected] of mistakes) {
    it(`rejects "${args.join(" ")}"`, () => {
      const reading = read(...args);
      assert.equal(reading.kind, "usageError");
      assert.match("text" in reading ? reading.text : "", expected);
    });
  }

  it("finds the app by --url, SVC_SITE_URL or PORT, in this order", () => {
    const urlOf = (args: string[], env: Environment): string => commandOf(["ls", ...args], env).url;
    assert.equal(urlOf([], {}), "http://127.0.0.1:3000");
    assert.equal(urlOf([], { PORT: "4000" }), "http://127.0.0.1:4000");
    assert.equal(urlOf([], { PORT: "4000", SVC_SITE_URL: "https://a.example" }), "https://a.example");
    assert.equal(urlOf(["--url", "http://b.example"], { SVC_SITE_URL: "https://a.example" }), "http://b.example");
  });

  it("resolves relative times from now", () => {
    const { task } = commandOf(["ls", "--since", "2h", "--until", "1970-01-01T01:00:00Z"], {}, 9e6);
    assert.ok(task.verb === "ls");
    assert.deepEqual(task.query, { since_ms: "1800000", until_ms: "3600000" });
  });

  it("sends the time to live of a new run in milliseconds", () => {
    const { task } = commandOf(["start", "export", "--ttl", "1.5m"]);
    assert.ok(task.verb === "start");
    assert.deepEqual(task.body, { worker: "export", ttl_ms: 90_000 });
  });

  it("accepts filters by duration", () => {
    const { task } = commandOf(["ls", "--longer", "1.5s", "--shorter", "5m"]);
    assert.ok(task.verb === "ls");
    assert.deepEqual(task.query, { longer_ms: "1500", shorter_ms: "300000" });
  });

  it("accepts filters by end time", () => {
    const args = ["ls", "--finished-since", "2h", "--finished-until", "1970-01-01T01:00:00Z"];
    const { task } = commandOf(args, {}, 9e6);
    assert.ok(task.verb === "ls");
    assert.deepEqual(task.query, { finished_since_ms: "1800000", finished_until_ms: "3600000" });
  });

  it("prints its verbs in the help", () => {
    const help = read("--help");
    assert.ok(help.kind === "help" && /start <name>/.test(help.text));
  });
});

describe("svc graph", () => {
  let started: Started;
  const app = createApp({
    graphs: [fan],
    workers: [double, refuse, asked],
    schedules: [
      { name: "yearly", cron: "0 0 1 1 *", worker: "double", input: 4 },
      { name: "at-the-turn", cron: "0 0 31 12 *", worker: "fan" },
    ],
    env: { SVC_EXEC_API_KEY: KEY, SVC_DATABASE_URL: "memory:", SVC_SECRET: "a secret of a test which is long enough" },
  });
  before(async () => {
    started = await app.start({ port: 0 });
  });
  after(() => started.close());

  async function run(args: string[], apiKey: string | undefined = KEY, url = started.url) {
    const command = commandOf(args);
    let text = "";
    const output = createOutput({ write: (part) => (text += part) }, { write: () => assert.fail("stderr") }, {});
    const code = await runGraph(command, new GraphClient({ url, apiKey, retryMs: 1 }), output);
    return { code, lines: text.trimEnd().split("\n") };
  }

  it("starts a run and follows it to its end", async () => {
    const { code, lines } = await run(["start", "fan", "--follow", "--tag", "t1"]);
    assert.equal(code, 0);
    assert.match(lines[0] ?? "", /^g_/);
    const types = lines.slice(1).map((line) => line.split("  ")[1]);
    assert.deepEqual([types[0], types.at(-1)], ["graph.queued", "graph.done"]);
    assert.ok(types.includes("node.skipped"));
    assert.match(lines[1] ?? "", /^\d\d:\d\d:\d\d\.\d{3}  graph\.queued  by=operator$/);
  });

  it("exits with 1 if the run that it follows has failed", async () => {
    const { code, lines } = await run(["start", "refuse", "-f", "--json"]);
    assert.equal(code, 1);
    const events = lines.map((line) => JSON.parse(line) as { type?: string; graph_id: string; token?: string });
    assert.equal(events.at(-1)?.type, "graph.failed");
    assert.equal(events[0]?.token, undefined);
    const id = events[0]?.graph_id ?? "";
    assert.equal((await run(["tail", id])).code, 1);
    const { lines: shown } = await run(["show", id]);
    assert.match(shown.join("\n"), /^g_\S+  failed\n  worker     refuse\n[^]*error      never \(refuse\)\n/);
    assert.match(
      shown.join("\n"),
      /\n  caused by  Error: a rule\n  thrown at  src\/cli\/graph\/graph\.test\.ts:\d+:\d+\n/,
    );
    const proxy = await withoutNodes(started.url);
    const { code: shownCode, lines: less } = await run(["show", id], KEY, proxy.url);
    proxy.server.close();
    const words = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll(/ +/g, " "));
    const rest = shown.filter((line) => !/^  (?:caused by|thrown at)/.test(line));
    assert.deepEqual([shownCode, words(less)], [0, words(rest)]);
    const { lines: retried } = await run(["retry", id, "--note", "to be sure", "--json"]);
    assert.equal((JSON.parse(retried[0] ?? "") as { epoch: number }).epoch, 2);
    const { lines: printed } = await run(["tail", id]);
    assert.match(printed.join("\n"), /graph\.started  epoch=2 by=operator note=to be sure/);
  });

  it("applies a command to all runs of a filter once that is confirmed", async () => {
    for (let at = 0; at < 3; at++) await run(["start", "asked", "--tag", "crowd", "--priority", String(at)]);
    await app.engine.idle();
    const cancel = ["bulk", "cancel", "--tag", "crowd", "--since", "1h"];
    assert.deepEqual((await run(cancel)).lines, ["cancel would affect 3 runs; add --yes to execute it"]);
    assert.deepEqual((await run([...cancel, "--yes", "--note", "too many"])).lines, ["cancel: 3 runs"]);
    await app.engine.idle();
    const { lines: again } = await run([...cancel, "--yes"]);
    assert.deepEqual(again, ["cancel: 0 runs; 3 runs did not allow it"]);
    const purge = ["bulk", "purge", "--tag", "crowd", "--status", "cancelled", "--json"];
    const sums = [await run(purge), await run([...purge, "--yes"]), await run(purge)].map(
      ({ lines }) => JSON.parse(lines[0] ?? "") as unknown,
    );
    assert.deepEqual(sums, [
      { action: "purge", matched: 3, dry_run: true },
      { action: "purge", matched: 3, changed: 3, refused: 0 },
      { action: "purge", matched: 0, dry_run: true },
    ]);
  });

  it("filters runs by creation time, id, error and parent", async () => {
    const [id = ""] = (await run(["start", "refuse"])).lines;
    const [child = ""] = (await run(["start", "double", "--input", "2", "--parent", id])).lines;
    await app.engine.idle();
    const idsOf = async (...filter: string[]): Promise<string[]> =>
      (await run(["ls", "--json", "--since", "1h", ...filter])).lines
        .filter((line) => line !== "")
        .map((line) => (JSON.parse(line) as { graph_id: string }).graph_id);
    assert.deepEqual(await idsOf("--id", id), [id]);
    assert.deepEqual(await idsOf("--parent", id), [child]);
    assert.ok((await idsOf("--error", "never")).includes(id));
    assert.deepEqual(await idsOf("--id", id, "--until", "1h"), []);
  });

  it("sends a signal to a run once per idempotency key", async () => {
    const [id = ""] = (await run(["start", "asked"])).lines;
    await app.engine.idle();
    const { lines } = await run(["show", id]);
    assert.match(lines.join("\n"), /asked +waiting[^]*asked#answer +waiting/);
    for (const input of ["42", "43"]) await run(["signal", id, "answer", "--input", input, "--key", "once", "--json"]);
    await app.engine.idle();
    assert.equal((await app.engine.snapshot(id))?.result, 42);
    await assert.rejects(run(["signal", id, "answer"]), /is done; signal needs it to be/);
  });

  it("sends an event once per id, and prints its id", async () => {
    for (const input of ["1", "2"])
      assert.deepEqual((await run(["send", "order.paid", "--input", input, "--key", "e1"])).lines, ["e1"]);
    const { events } = await app.engine.sentEvents({ name: "order.paid" });
    assert.deepEqual(
      events.map(({ id, data }) => [id, data]),
      [["e1", 1]],
    );
    await assert.rejects(run(["send", "1"]), /must be a letter/);
  });

  it("shows a run with folded fan-outs, and lists runs by their properties", async () => {
    const [id = ""] = (await run(["start", "fan", "--key", "once"])).lines;
    assert.equal((await run(["start", "fan", "--key", "once"])).lines[0], id);
    await app.engine.idle();
    const { lines } = await run(["show", id]);
    assert.deepEqual(
      lines
        .slice(-3)
        .map((line) => line.trim())
        .sort(),
      ["└─ ┄ none  skipped", "└─ ✓ double   3 done", "✓ list        done"],
    );
    const listed = (await run(["ls", "--worker", "fan", "--limit", "1"])).lines;
    assert.match(
      listed.join("\n"),
      /^g_\S+  fan  done     \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\n1 of 2; --limit shows more$/,
    );
    const { lines: json } = await run(["ls", "--tag", "t1", "--json"]);
    assert.deepEqual(
      json.map((line) => (JSON.parse(line) as { tags: string[] }).tags),
      [["t1"]],
    );
    assert.deepEqual((await run(["ls", "--status", "paused"])).lines, ["No runs"]);
  });

  it("starts a run with attributes, shows them, and lists and counts runs by several conditions", async () => {
    const of = (...conditions: string[]): string[] => conditions.flatMap((one) => ["--attribute", one]);
    const { lines } = await run(["start", "fan", "--json", ...of("plan=pro", "cents=500", 'name="Ada L"')]);
    const { graph_id: id } = JSON.parse(lines.join("")) as { graph_id: string };
    assert.match((await run(["show", id])).lines.join("\n"), /^ +attributes +plan=pro cents=500 name="Ada L"$/m);
    const listed = async (...conditions: string[]): Promise<string[]> =>
      (await run(["ls", "--json", ...of(...conditions)])).lines.flatMap((line) =>
        line === "" ? [] : (JSON.parse(line) as { graph_id: string }).graph_id,
      );
    assert.deepEqual(await listed("plan=pro", "cents>=500"), [id]);
    assert.deepEqual(await listed('name="Ada L"'), [id]);
    assert.deepEqual(await listed("plan=pro", "cents>500"), []);
    assert.match(
      (await run(["bulk", "cancel", ...of("plan=pro cents<501")])).lines.join(),
      /^cancel would affect 1 run;/,
    );
    await assert.rejects(run(["ls", ...of("plan")]), /where a condition is expected/);
  });

  it("waits for the end of a started run, and prints its result", async () => {
    const done = await run(["start", "double", "--input", "4", "--wait"]);
    assert.deepEqual([done.code, done.lines[1]], [0, "8"]);
    const failed = await run(["start", "refuse", "-w", "--json"]);
    const printed = JSON.parse(failed.lines[1] ?? "") as { status: string; error: { message: string } };
    assert.deepEqual([failed.code, printed.status, printed.error.message], [1, "failed", "never"]);
  });

  it("runs again from a node, and forks with another input", async () => {
    const [id = ""] = (await run(["start", "double", "--input", "4", "--wait"])).lines;
    const { lines } = await run(["retry", id, "--from", "double", "--json"]);
    assert.equal((JSON.parse(lines[0] ?? "") as { epoch: number }).epoch, 2);
    const forked = await run(["fork", id, "--from", "double", "--input", "21", "--json"]);
    const { graph_id, forked_from } = JSON.parse(forked.lines[0] ?? "") as { graph_id: string; forked_from: string };
    await app.engine.idle();
    assert.deepEqual([forked_from, (await app.engine.snapshot(graph_id))?.result], [id, 42]);
    const later = await run(["start", "double", "--at", "2999-01-01T00:00:00Z", "--json"]);
    assert.equal((JSON.parse(later.lines[0] ?? "") as { status: string }).status, "pending");
  });

  it("shows and changes schedules and queues", async () => {
    assert.match(
      (await run(["schedules"])).lines.join("\n"),
      /^at-the-turn  0 0 31 12 \* UTC  fan     next \d{4}-12-31 00:00:00Z\nyearly       0 0 1 1 \* UTC    double  next \d{4}-01-01 00:00:00Z$/,
    );
    const paused = await run(["schedules", "pause", "yearly", "--note", "holidays"]);
    assert.match(paused.lines.join("\n"), /  paused$/);
    await run(["schedules", "resume", "yearly"]);
    const [id = ""] = (await run(["schedules", "trigger", "yearly"])).lines;
    const period = ["--since", "2024-06-01T00:00:00Z", "--until", "2026-06-01T00:00:00Z"];
    const filled = (await run(["schedules", "backfill", "yearly", ...period])).lines;
    assert.deepEqual([filled.length, filled[2]], [3, "2 started, 0 known before"]);
    const again = await run(["schedules", "backfill", "yearly", ...period, "--json"]);
    assert.deepEqual(again.lines, ['{"started":[],"known":2}']);
    await app.engine.idle();
    assert.equal((await app.engine.snapshot(id))?.result, 8);
    const queue = await run(["queues", "pause", "asked", "--note", "busy"]);
    assert.match(queue.lines.join("\n"), /^asked  0 running  0 waiting  paused: busy$/);
    assert.deepEqual((await run(["queues"])).lines, [
      "asked   0 running  0 waiting  paused: busy",
      "double  0 running  0 waiting",
      "list    0 running  0 waiting",
      "refuse  0 running  0 waiting",
    ]);
    const { lines } = await run(["queues", "--json"]);
    const views = lines.map((line) => JSON.parse(line) as { worker: string; paused: boolean });
    assert.deepEqual(
      views.filter((view) => view.paused).map((view) => view.worker),
      ["asked"],
    );
    assert.match((await run(["queues", "resume", "asked"])).lines.join("\n"), /waiting$/);
  });

  it("reports a missing build, as svc start does", () =>
    assert.rejects(run(["check", "--app", "/no/such/app.js"]), {
      code: "SVC_CONFIG",
      message: '/no/such/app.js does not exist; run "svc build" first',
    }));

  it("checks unfinished runs against other code, and exits with 1 if they would break", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-check-"));
    const entry = (name: string, definitions: string): string => {
      const file = join(folder, `${name}.mjs`);
      const methods = ["start", "boot", "fetch", "handler", "close"].map((method) => `${method}() {}`).join(", ");
      writeFileSync(file, `export default { ${methods}, definitions: ${definitions} };`);
      return file;
    };
    try {
      await run(["start", "asked"]);
      const names = ["fan", "double", "refuse", "asked"].map((name) => `["${name}", [{ options: {}, nodes: [] }]]`);
      const bad = await run([
        "check",
        "--app",
        entry("bad", `new Map([${names.join(", ")}])`),
        "--sample",
        "0",
        "--json",
      ]);
      const printed = JSON.parse(bad.lines[0] ?? "") as {
        misfits: { kind: string; worker: string; is_live: boolean }[];
      };
      assert.equal(bad.code, 1);
      assert.ok(
        printed.misfits.some(
          ({ kind, worker: name, is_live }) => kind === "missing node" && name === "asked" && is_live,
        ),
      );
      const text = await run(["check", "--app", entry("bad2", "new Map()"), "--sample", "1"]);
      assert.match(
        text.lines.join("\n"),
        /^unknown graph  \S+: No graph or worker is named[^]*\(only if it is retried\)[^]*problems: \d+ unfinished, 2 ended/,
      );
      const same = ["fan", "double", "refuse", "asked"].map((name) => `["${name}", ${JSON.stringify(shapeOf(name))}]`);
      const good = await run(["check", "--app", entry("good", `new Map([${same.join(", ")}])`)]);
      assert.equal(good.code, 0);
      assert.match(good.lines.join("\n"), /^All runs are compatible: \d+ unfinished, \d+ ended$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const shapeOf = (name: string) => app.definitions.get(name);

  it("reports rejections of the server, and how to set the operator key", async () => {
    await assert.rejects(run(["show", "g_none"]), { code: "SVC_NOT_FOUND", message: /There is no graph "g_none"/ });
    await assert.rejects(run(["ls"], "another key"), {
      code: "SVC_UNAUTHORIZED",
      message: /Set SVC_EXEC_API_KEY .*An app without a key rejects all requests/,
    });
    await assert.rejects(run(["ls", "--status", "lost"]), { code: "SVC_INVALID", message: /allowed are pending/ });
    await assert.rejects(run(["ls"], KEY, "http://127.0.0.1:9"), {
      code: "SVC_UNAVAILABLE",
      message: /No response from/,
    });
  });

  it("resumes the events of a broken connection, each once", async () => {
    const [id = ""] = (await run(["start", "fan"])).lines;
    await app.engine.idle();
    const site = await cutting(started.url);
    try {
      const { code, lines } = await run(["tail", id, "--json"], KEY, site.url);
      const seqs = lines.map((line) => (JSON.parse(line) as { seq: number }).seq);
      assert.deepEqual([code, seqs], [0, seqs.map((_, at) => at + 1)]);
      assert.ok(site.asked() > 2);
    } finally {
      site.server.close();
    }
  });
});

/** A proxy that fails requests for nodes of a run. */
async function withoutNodes(origin: string): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, reply) => {
    if (request.url?.includes("/nodes/") === true) return void reply.writeHead(500).end();
    const headers = { authorization: request.headers.authorization ?? "" };
    const answer = await fetch(origin + (request.url ?? ""), { headers });
    reply.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** A proxy that cuts each stream after 400 bytes. */
async function cutting(origin: string): Promise<{ url: string; asked: () => number; server: Server }> {
  let asked = 0;
  const server = createServer(async (request, reply) => {
    asked++;
    const headers = { authorization: request.headers.authorization ?? "" };
    const text = await (await fetch(origin + (request.url ?? ""), { headers })).text();
    reply.writeHead(200, { "content-type": "text/event-stream" });
    if (text.length <= 400) return void reply.end(text);
    reply.write(text.slice(0, 400), () => reply.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked, server };
}
