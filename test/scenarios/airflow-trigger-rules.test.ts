/** Scenarios of Airflow's suite: apache/airflow. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "svckit/graph";
import { gate, once, scene } from "./scene.ts";

const task = worker("task", () => "done");

const bad = worker("bad", once, (): string => {
  throw new Error("failed");
});

const pass = worker("pass", (input: unknown) => input);
const never = { when: () => false };

describe("airflow", () => {
  it("all_success runs a task once all tasks before it have succeeded", async () => {
    const dag = graph("dag", (g) => g.node("join", pass, { after: [g.node("a", task), g.node("b", task)] }));
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    assert.deepEqual(await run.result(), { a: "done", b: "done" });
  });

  it("all_success does not run a task behind a failed one, and the run fails", async () => {
    const dag = graph("dag", (g) => g.node("join", pass, { after: [g.node("a", task), g.node("b", bad)] }));
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(run))[0], (await at.nodes(run))["join"]], ["failed", "pending"]);
  });

  it("all_success skips a task if one of the tasks before it was skipped", async () => {
    const dag = graph("dag", (g) => g.node("join", pass, { after: [g.node("a", task), g.node("b", task, never)] }));
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    assert.deepEqual(await run.result(), { a: "done", b: null });
  });

  it("none_failed_min_one_success runs behind skipped tasks if one has succeeded", async () => {
    const dag = graph("dag", (g) => {
      const [a, b, c] = [g.node("a", task), g.node("b", task, never), g.node("c", task, never)];
      g.node("some", pass, { after: [a, b] });
      g.node("none", pass, { after: [b, c] });
    });
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    await at.engine.idle();
    assert.deepEqual(await at.nodes(run), { a: "done", b: "skipped", c: "skipped", some: "done", none: "skipped" });
  });

  it("all_done runs a task behind failed and succeeded ones", async () => {
    const dag = graph("dag", (g) =>
      g.node("join", pass, { after: [g.node("a", task), g.node("b", bad, { onError: "continue" })] }),
    );
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    assert.deepEqual(await run.result(), { a: "done", b: null });
  });

  it("all_done runs a task behind failed ones only", async () => {
    const dag = graph("dag", (g) => {
      const failed = g.node("b", bad);
      g.node("behind", pass, { after: [failed] });
      return g.node("handler", pass, { after: [failed], on: "failed" });
    });
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    await at.engine.idle();
    assert.deepEqual(await at.nodes(run), { b: "failed", behind: "skipped", handler: "done" });
  });

  it("one_failed runs a task if one of the tasks before it has failed", async () => {
    const dag = graph("dag", (g) => {
      const before = [g.node("a", task), g.node("b", bad)] as const;
      return g.node(
        "alarm",
        worker("alarm", ({ node }: { node?: string }) => node ?? "?"),
        { after: before, on: "failed" },
      );
    });
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    assert.equal(await run.result(), "b");
  });

  it("one_failed skips its task if none has failed", async () => {
    const dag = graph("dag", (g) => {
      const a = g.node("a", task);
      g.node("alarm", pass, { after: [a], on: "failed" });
    });
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    await at.engine.idle();
    assert.deepEqual(await at.nodes(run), { a: "done", alarm: "skipped" });
  });

  it("all_failed runs a task only if all tasks before it have failed", async () => {
    const dag = graph<boolean, unknown>("dag", (g) => {
      const a = g.node(
        "a",
        worker("maybe", once, (isBad: boolean) => {
          if (isBad) throw new Error("a");
          return "fine";
        }),
      );
      const before = [a, g.node("b", bad)] as const;
      g.node("alarm", pass, {
        after: before,
        on: "failed",
        when: (_, errors) => Object.values(errors).every((error) => error !== null),
      });
    });
    const at = await scene({ graphs: [dag] });
    const [all, one] = [await at.engine.start(dag, true), await at.engine.start(dag, false)];
    await at.engine.idle();
    assert.deepEqual([(await at.nodes(all))["alarm"], (await at.nodes(one))["alarm"]], ["done", "skipped"]);
  });

  it("one_success runs a task as soon as one task before it has succeeded", async () => {
    const slow = gate();
    const dag = graph("dag", (g) => {
      const [quick, other] = [
        g.node("quick", task),
        g.node(
          "slow",
          worker("slow", () => slow.promise.then(() => "late")),
        ),
      ];
      return g.node("join", pass, { after: [quick, other] });
    });
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    await at.until(async () => (await at.nodes(run))["quick"] === "done");
    assert.equal((await at.nodes(run))["join"], "pending");
    slow.open();
    assert.deepEqual(await run.result(), { quick: "done", slow: "late" });
  });

  it("none_skipped runs a task only if no task before it was skipped", async () => {
    const dag = graph<boolean, unknown>("dag", (g) => {
      const [a, b] = [g.node("a", task), g.node("b", task, { when: (isNeeded) => isNeeded })];
      g.node("join", pass, {
        after: [a, b],
        when: (_, results) => Object.values(results).every((result) => result !== null),
      });
    });
    const at = await scene({ graphs: [dag] });
    const [both, one] = [await at.engine.start(dag, true), await at.engine.start(dag, false)];
    await at.engine.idle();
    assert.deepEqual([(await at.nodes(both))["join"], (await at.nodes(one))["join"]], ["done", "skipped"]);
  });

  it("a branch operator follows one branch, and the join runs", async () => {
    const dag = graph<string, unknown>("dag", (g) => {
      const start = g.node("start", pass);
      const branch = (name: string) => g.node(name, task, { after: [start], when: (wanted) => wanted === name });
      return g.node("join", pass, { after: [branch("a"), branch("b")] });
    });
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, "b");
    assert.deepEqual(await run.result(), { a: null, b: "done" });
  });

  it("a short circuit skips everything behind it", async () => {
    const dag = graph("dag", (g) => {
      const gatekeeper = g.node("condition", task, never);
      g.node("third", pass, { after: [g.node("second", pass, { after: [gatekeeper] })] });
    });
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    await at.engine.idle();
    assert.deepEqual(await at.nodes(run), { condition: "skipped", second: "skipped", third: "skipped" });
  });

  it("a run whose tasks were all skipped succeeds", async () => {
    const dag = graph("dag", (g) => void g.node("a", task, never));
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    await at.engine.idle();
    assert.equal((await at.outcome(run))[0], "done");
  });
});
