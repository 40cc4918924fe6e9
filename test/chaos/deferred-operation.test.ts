/** A deferred bulk operation on PostgreSQL: shown and undone by another process, and not executed if the process that deferred it is killed. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createTestClient, testDatabase, withoutPostgres, type TestClient, type TestDatabase } from "svckit/testing";
import type { Snapshot } from "svckit/graph";
import { AHEAD, LISTENS } from "./deferred-operation-process.ts";

const KEY = "operators-key-of-two";
const OPERATOR = { authorization: `Bearer ${KEY}` };
const SCRIPT = join(fileURLToPath(import.meta.url), "../deferred-operation-process.js");
const skip = await withoutPostgres();

interface Member {
  child: ChildProcess;
  client: TestClient;
  /** Waits for the first line with this prefix. @returns the rest of the line. */
  said(beginning: string): Promise<string>;
}

let database: TestDatabase;
const members: Member[] = [];

/** @param undoIn how long an operation is deferred */
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
    await until(async () => found() !== undefined, `a line that begins with ${beginning}`);
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
  throw new Error(`Timed out waiting for ${what}`);
}

async function text({ client }: Member, path: string): Promise<string> {
  const answer = await client.get(path);
  assert.equal(answer.status, 200, path);
  return answer.text();
}

async function snapshot({ client }: Member, id: string): Promise<Snapshot> {
  return (await (await client.get(`/_svc/graphs/${id}`, OPERATOR)).json()) as Snapshot;
}

/** Starts a run that ends only when it is cancelled. */
async function endless(member: Member, tag: string): Promise<string> {
  const body = { worker: "sync-catalogue", tags: [tag] };
  const { graph_id: id } = (await (await member.client.post("/_svc/graphs", body, OPERATOR)).json()) as Snapshot;
  await until(async () => (await snapshot(member, id)).nodes[0]?.status === "running", "the run to start");
  return id;
}

async function cancel({ client }: Member, id: string): Promise<void> {
  assert.equal((await client.post(`/_svc/graphs/${id}/cancel`, {}, OPERATOR)).status, 202);
}

/** Confirms the cancellation of all runs with this tag. @returns path of the deferred operation */
async function confirm({ client }: Member, tag: string): Promise<string> {
  const answer = await client.submit("/_svc/ops/runs/bulk", { tag, step: "cancel", expected: "1" });
  const path = answer.headers.get("location") ?? "";
  assert.match(path, /^\/_svc\/ops\/held\/held_[\w-]+$/);
  return path;
}

describe("a deferred bulk operation with two processes on PostgreSQL", { skip }, () => {
  before(async () => {
    database = await testDatabase();
  });
  after(async () => {
    for (const { child } of members) child.kill("SIGKILL");
    await database.drop();
  });

  it("can be undone by another process, and both show the same outcome", async () => {
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

  it("is undone once when both processes undo it at the same time, and has one audit entry for that", async () => {
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

  it("is executed by the process that deferred it, wherever the runs are, and both show the outcome", async () => {
    const quick = await enter("200ms");
    const [, other] = members as [Member, Member];
    const id = await endless(other, "c");
    const path = await confirm(quick, "c");
    await until(
      async () => (await text(other, path)).includes("1 run changed."),
      "the other process to show the outcome",
    );
    assert.match(await text(quick, path), /1 run changed\./);
    assert.equal((await snapshot(other, id)).phase, "failed");
    await other.client.submit(`${path}/undo`, {});
    assert.match(await text(other, path), /Too late: the action has started/);
  });

  it("is not executed if the process that deferred it is killed, and the other process says so", async () => {
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
