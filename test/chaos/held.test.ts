/** A step for many runs that one process holds back, seen and undone in another on the same PostgreSQL, and what becomes of it where the first is killed. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createTestClient, testDatabase, withoutPostgres, type TestClient, type TestDatabase } from "svckit/testing";
import type { Snapshot } from "svckit/graph";
import { AHEAD, LISTENS } from "./held-process.ts";

const KEY = "operators-key-of-two";
const OPERATOR = { authorization: `Bearer ${KEY}` };
const SCRIPT = join(fileURLToPath(import.meta.url), "../held-process.js");
const skip = await withoutPostgres();

interface Member {
  child: ChildProcess;
  client: TestClient;
  /** The next line that begins so, without its beginning. */
  said(beginning: string): Promise<string>;
}

let database: TestDatabase;
const members: Member[] = [];

/** @param undoIn how long it holds a step back */
async function enter(undoIn: string): Promise<Member> {
  const env = {
    ...process.env,
    SVC_DATABASE_URL: database.url,
    SVC_SECRET: "s".repeat(32),
    SVC_EXEC_API_KEY: KEY,
    SVC_LOG_LEVEL: "error",
    HOST: "127.0.0.1",
    PORT: "0",
    NODE_ENV: "test",
  };
  const child = spawn(process.execPath, [SCRIPT, "go", undoIn], { env, stdio: ["pipe", "pipe", "inherit"] });
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  const said = async (beginning: string): Promise<string> => {
    const found = (): string | undefined => lines.find((line) => line.startsWith(beginning));
    await until(async () => found() !== undefined, `that it says ${beginning}`);
    return (found() as string).slice(beginning.length);
  };
  const origin = await said(LISTENS);
  const client = createTestClient({ fetch: (request) => fetch(request) }, { origin, tokenPage: "/_svc/ops/schedules" });
  const member = { child, client, said };
  members.push(member);
  return member;
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 1500; tries++) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error(`Waited in vain: ${what}`);
}

async function text({ client }: Member, path: string): Promise<string> {
  const answer = await client.get(path);
  assert.equal(answer.status, 200, path);
  return answer.text();
}

async function snapshot({ client }: Member, id: string): Promise<Snapshot> {
  return (await (await client.get(`/_svc/graphs/${id}`, OPERATOR)).json()) as Snapshot;
}

/** Runs until somebody cancels it. */
async function endless(member: Member, tag: string): Promise<string> {
  const body = { worker: "sync-catalogue", tags: [tag] };
  const { graph_id: id } = (await (await member.client.post("/_svc/graphs", body, OPERATOR)).json()) as Snapshot;
  await until(async () => (await snapshot(member, id)).nodes[0]?.status === "running", "that it runs");
  return id;
}

async function cancel({ client }: Member, id: string): Promise<void> {
  assert.equal((await client.post(`/_svc/graphs/${id}/cancel`, {}, OPERATOR)).status, 202);
}

/** Confirms that what has this tag is cancelled. @returns where it is held */
async function confirm({ client }: Member, tag: string): Promise<string> {
  const answer = await client.submit("/_svc/ops/runs/bulk", { tag, step: "cancel", expected: "1" });
  const path = answer.headers.get("location") ?? "";
  assert.match(path, /^\/_svc\/ops\/held\/held_[\w-]+$/);
  return path;
}

describe("a step for many runs, with two processes on PostgreSQL", { skip }, () => {
  before(async () => {
    database = await testDatabase();
  });
  after(async () => {
    for (const { child } of members) child.kill("SIGKILL");
    await database.drop();
  });

  it("is undone by a process that does not hold it, and what came of it is the same in both", async () => {
    const [holder, other] = [await enter("1h"), await enter("1h")];
    const id = await endless(holder, "a");
    const path = await confirm(holder, "a");
    assert.match(await text(other, path), /Cancelling 1 run in/);
    assert.equal((await other.client.submit(`${path}/undo`, {})).status, 303);
    for (const member of [holder, other])
      assert.match(await text(member, path), /Nothing was changed: operator undid it/);
    assert.equal((await snapshot(holder, id)).phase, "running");
    const again = await holder.client.submit(`${path}/undo`, {});
    assert.equal(again.status, 303);
    assert.match(await text(other, path), /Nothing was changed: operator undid it/);
    await cancel(other, id);
  });

  it("that both undo at once is undone once, in the audit trail too", async () => {
    const [holder, other] = members as [Member, Member];
    const id = await endless(holder, "b");
    const path = await confirm(holder, "b");
    await other.client.csrfToken();
    await Promise.all([holder, other, holder, other].map(({ client }) => client.submit(`${path}/undo`, {})));
    const trail = `/_svc/audit?target=${path.split("/").at(-1)}`;
    const { audit: entries } = (await (await other.client.get(trail, OPERATOR)).json()) as {
      audit: { operation: string }[];
    };
    assert.deepEqual(
      entries.map(({ operation }) => operation),
      ["bulk.undone", "bulk.held"],
    );
    await cancel(holder, id);
  });

  it("is done by the process that holds it, wherever the runs are, and both tell what came of it", async () => {
    const quick = await enter("200ms");
    const [, other] = members as [Member, Member];
    const id = await endless(other, "c");
    const path = await confirm(quick, "c");
    await until(async () => (await text(other, path)).includes("1 run changed."), "that the other tells of it");
    assert.match(await text(quick, path), /1 run changed\./);
    assert.equal((await snapshot(other, id)).phase, "failed");
    await other.client.submit(`${path}/undo`, {});
    assert.match(await text(other, path), /Too late: the action has started/);
  });

  it("is not done where the process that holds it is killed, and the other says so", async () => {
    const [holder, other] = members as [Member, Member];
    const id = await endless(other, "d");
    const path = await confirm(holder, "d");
    holder.child.kill("SIGKILL");
    assert.match(await text(other, path), /Cancelling 1 run in/);
    other.child.stdin?.write(`${2 * 3_600_000}\n`);
    await other.said(AHEAD);
    assert.match(await text(other, path), /The process exited before the action started\. Nothing was changed/);
    assert.match(await text(other, path), /Cancelling 1 run: not run/);
    assert.equal((await snapshot(other, id)).phase, "running");
  });
});
