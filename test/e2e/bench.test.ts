/** Each benchmark runs once, svc's side only, and reports its figures. The test does not check the values. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { withoutPostgres } from "svckit/testing";
import { root } from "./demo-server.ts";

async function quickRun(bench: string): Promise<unknown> {
  const script = join(root, `out/bench/${bench}.js`);
  const { stdout } = await promisify(execFile)(process.execPath, [script, "--quick", "--json"]);
  return JSON.parse(stdout) as unknown;
}

const hasNoPostgres = await withoutPostgres();

describe("the benchmarks", () => {
  it("of the browser time every operation of the table", async () => {
    const { svc } = (await quickRun("dom")) as { svc: Record<string, { script: number }[]> };
    assert.ok(svc["swap"]?.every(({ script }) => script > 0));
    assert.equal(Object.keys(svc).length, 9);
  });

  it("of the server render both documents", async () => {
    const { svc } = (await quickRun("ssr")) as { svc: Record<string, { cpu: number; tiles: number; rows: number }[]> };
    assert.ok(svc["spiral"]?.every(({ cpu, tiles }) => cpu > 0 && tiles === 2398));
    assert.ok(svc["table"]?.every(({ cpu, rows }) => cpu > 0 && rows === 1001));
  });

  it("of a site follow its links, with the layout and without", async () => {
    const visits = (await quickRun("site")) as Record<
      string,
      { first: { bytes: number }; isKept: boolean; times: { first: number }[] }
    >;
    assert.ok(Object.values(visits).every(({ first }) => first.bytes > 0));
    assert.ok(Object.values(visits).every(({ times }) => times.every(({ first }) => first > 0)));
    assert.deepEqual([visits["svc"]?.isKept, visits["svc-enhanced"]?.isKept], [false, true]);
  });

  it("of requests get every response", async () => {
    const { svc, raw } = (await quickRun("http")) as Record<string, Record<string, { cpuUs: number }[]>>;
    for (const name of ["page", "stream", "asset", "unchanged", "counter", "return", "action"]) {
      assert.ok(svc?.[name]?.every(({ cpuUs }) => cpuUs > 0));
      assert.ok(raw?.[name]?.every(({ cpuUs }) => cpuUs > 0));
    }
  });

  it("of graphs run chains and fan-outs to their results", async () => {
    const loads = (await quickRun("graphs")) as Record<string, { svc: { perSecond: number }[] }>;
    assert.equal(Object.keys(loads).length, 2);
    for (const { svc } of Object.values(loads)) assert.ok(svc.every(({ perSecond }) => perSecond > 0));
  });

  it("of growth run each load at two sizes", async () => {
    const loads = (await quickRun("growth")) as Record<string, { size: number; cpuUs: number }[]>;
    assert.equal(Object.keys(loads).length, 7);
    for (const steps of Object.values(loads)) assert.ok(steps.length === 2 && steps.every(({ cpuUs }) => cpuUs > 0));
  });

  it("of latency load a page with graphs and without", async () => {
    const variants = (await quickRun("latency")) as Record<string, { p99Ms: number; graphsPerSecond: number }[]>;
    const rates = Object.values(variants).map(([sample]) => (sample?.graphsPerSecond ?? 0) > 0);
    assert.deepEqual(rates, [false, true]);
    for (const [sample] of Object.values(variants)) assert.ok((sample?.p99Ms ?? 0) > 0);
  });

  it("of several processes report the server cost per graph", { skip: hasNoPostgres }, async () => {
    const loads = (await quickRun("cluster")) as Record<string, { "svc 1": { nodeMs: number; logBytes: number }[] }>;
    assert.equal(Object.keys(loads).length, 2);
    for (const { "svc 1": readiness } of Object.values(loads))
      assert.ok(readiness.every(({ nodeMs, logBytes }) => nodeMs > 0 && logBytes > 0));
  });

  it("of types check every call of an action", async () => {
    const { svc } = (await quickRun("types")) as { svc: { instantiations: number }[] };
    assert.ok(svc.every(({ instantiations }) => instantiations > 0));
  });

  it("of whole pages click the counter and the todo, early and late, and change the table", async () => {
    const pages = (await quickRun("pages")) as Record<
      string,
      { svc: { scriptBytesBefore: number; early: number[] } }
    > & {
      operations: { svc: { script: number }[] };
    };
    assert.ok(pages.operations.svc.length > 0 && pages.operations.svc.every(({ script }) => script > 0));
    for (const name of ["counter", "todo"]) {
      assert.ok((pages[name]?.svc.scriptBytesBefore ?? 0) > 0);
      assert.ok(pages[name]?.svc.early.every((time) => time > 0));
    }
  });
});
