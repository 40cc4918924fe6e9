import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../platform/shared/errors.ts";
import { graph, worker } from "./definition.ts";
import { Registry } from "../engine/registry.ts";
import type { WorkerOptions } from "./worker-types.ts";

const noop = worker("noop", () => null);

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof SvcError && error.code === "SVC_DEFINITION");
    return error.message;
  }
  return "accepted";
}

describe("definitions", () => {
  it("carry result types from node to node", () => {
    const split = worker("split", (text: string) => text.split(""));
    const measure = worker("measure", (letter: string) => letter.length);
    const definition = graph("typed", (g) => {
      const letters = g.node("split", split);
      return g.map("measure", measure, letters, (list) => list.map((letter) => letter.toUpperCase()));
    });
    assert.deepEqual(
      definition.nodes.map((node) => [node.name, node.after]),
      [
        ["split", []],
        ["measure", ["split"]],
      ],
    );
    assert.equal(definition.output, "measure");
  });

  it("throw an error that names a duplicate, a missing node, a cycle, an empty graph or an invalid name", () => {
    assert.match(
      refusal(() => graph("g", (g) => void [g.node("a", noop), g.node("a", noop)])),
      /two nodes named "a"/,
    );
    assert.match(
      refusal(() => graph("g", (g) => void g.node("a", noop, { after: [{ name: "ghost" }] }))),
      /"a" of graph "g" waits for "ghost"/,
    );
    const cycle = () =>
      graph(
        "g",
        (g) => void [g.node("a", noop, { after: [{ name: "b" }] }), g.node("b", noop, { after: [{ name: "a" }] })],
      );
    assert.match(refusal(cycle), /cycle: a → b → a/);
    assert.match(
      refusal(() => graph("g", () => undefined)),
      /has no nodes/,
    );
    assert.match(
      refusal(() => worker("1st", () => null)),
      /"1st" is not a valid name/,
    );
    assert.match(
      refusal(() => graph("g", (g) => void g.node("a/b", noop))),
      /"a\/b" is not a valid name/,
    );
  });

  it("reject options that can't be stored", () => {
    assert.match(
      refusal(() => worker("w", { concurrency: 0 }, () => null)),
      /concurrency 0/,
    );
    assert.match(
      refusal(() => worker("w", { retry: { max: 0 } }, () => null)),
      /retry.max 0/,
    );
    assert.match(
      refusal(() => worker("w", { timeout: "soon" }, () => null)),
      /"soon" is not a duration/,
    );
    const refusals: [WorkerOptions, RegExp][] = [
      [{ heartbeat: 0 }, /worker "w" has heartbeat 0; use a time above 0/],
      [{ retry: { retryIf: true } as never }, /worker "w" has retry.retryIf true; use a function/],
      [{ retry: { nonRetryable: "TypeError" as never } }, /retry.nonRetryable "TypeError"; use names/],
      [{ retry: { jitter: 0.5 as never } }, /retry.jitter 0.5; use true or false/],
      [{ retry: { maximum: 3 } as never }, /in retry, has an unknown option "maximum".*known: max,/],
      [{ concurrency: { limit: 0, key: String } }, /worker "w" has concurrency.limit 0; use a whole number/],
      [{ concurrency: { limit: 1 } as never }, /worker "w" lacks concurrency.key/],
      [{ rate: 5 as never }, /worker "w" has rate 5; use \{ limit/],
      [{ rate: { limit: 1, per: 0 } }, /worker "w" has rate.per 0; use a time above 0/],
      [{ rate: { limit: 1 } as never }, /worker "w" lacks rate.per/],
      [{ priority: 0.5 }, /worker "w" has priority 0.5; use a whole number/],
      [{ concurency: 3 } as never, /worker "w" has an unknown option "concurency".*known: .*concurrency/],
    ];
    for (const [options, message] of refusals)
      assert.match(
        refusal(() => worker("w", options, () => null)),
        message,
      );
  });

  it("reject invalid workers, nodes and options, and name the right option", () => {
    // Calls without type checks.
    type Build = (g: { node: (...all: unknown[]) => unknown; map: (...all: unknown[]) => unknown }) => unknown;
    const build = (declare: Build) => graph("g", declare as never);
    const refusals: [Build, RegExp][] = [
      [
        (g) => g.node("a"),
        /node "a" of graph "g" was given undefined instead of a worker; use the return value of worker\(…\)/,
      ],
      [(g) => g.node("a", () => 1), /node "a" of graph "g" was given function instead of a worker/],
      [(g) => g.node("a", "noop"), /was given the text "noop" instead of a worker/],
      [(g) => g.node("a", noop, { after: ["b"] }), /node "a" of graph "g" has in after "b"; use what g.node and g.map/],
      [(g) => g.node("a", noop, { after: [undefined] }), /has in after undefined; use what/],
      [
        (g) => g.node("a", noop, { after: g.node("b", noop) }),
        /has after of another kind; use what .* after: \[parse\]/,
      ],
      [(g) => g.node("a", noop, { afer: [] }), /has an unknown option "afer"; known: after, /],
      [(g) => g.node("a", noop, { when: true }), /has when true; use a function/],
      [(g) => g.node("a", noop, { input: { a: 1 } }), /has input of another kind; use a function/],
      [(g) => g.node("a", noop, { onError: "collect" }), /has onError "collect"; use "fail" or "continue"/],
      [(g) => g.node("a", noop, null), /has options null; use an object/],
      [(g) => g.map("a", noop, undefined, () => []), /fans out over undefined; use what g.node or g.map returned/],
      [(g) => g.map("a", noop, g.node("b", noop)), /has items undefined; use a function that returns an array/],
      [(g) => g.map("a", noop, g.node("b", noop), () => [], { when: () => true }), /has an unknown option "when"/],
      [(g) => g.map("a", noop, g.node("b", noop), () => [], { onError: "continue" }), /use "fail" or "collect"/],
      [async (g) => g.node("a", noop), /function of graph "g" returns a promise; declare nodes synchronously/],
      [(g) => (g.node("a", noop), "a"), /function of graph "g" returns "a"; return nothing, or what g.node/],
      [(g) => (g.node("a", noop), { name: "b" }), /returns the node "b", which the graph does not have/],
    ];
    for (const [declare, message] of refusals)
      assert.match(
        refusal(() => build(declare)),
        message,
      );
    assert.match(
      refusal(() => graph("g", undefined as never)),
      /graph "g" has no function that declares its nodes/,
    );
    assert.match(
      refusal(() => graph("g", (g) => g.node("a", noop), null as never)),
      /graph "g" has options null; use an object/,
    );
    assert.match(
      refusal(() => worker(undefined as never, () => null)),
      /"undefined" is not a valid name for a worker/,
    );
    assert.match(
      refusal(() => worker("w", null as never, () => null)),
      /worker "w" has options null; use an object/,
    );
    assert.match(
      refusal(() => worker("w", { retry: 3 as never }, () => null)),
      /worker "w" has retry 3; use an object such as \{ max: 3 \}/,
    );
  });

  it("have a hash that depends on names, workers and order, but not on code", () => {
    const build = (second: string) => graph("g", (g) => g.node(second, noop, { after: [g.node("a", noop)] }));
    assert.equal(build("b").hash, build("b").hash);
    assert.notEqual(build("b").hash, build("c").hash);
  });

  it("of one app need different names, and one worker per name", () => {
    assert.match(
      refusal(() => new Registry([noop], [graph("noop", (g) => void g.node("a", noop))] as never)),
      /named "noop"/,
    );
    const inPlace: [unknown[], unknown[], RegExp][] = [
      [[() => null], [], /"workers" has function instead of a worker; use the return value of worker/],
      [[graph("g", (g) => void g.node("a", noop))], [], /"workers" has the graph "g"; list graphs in "graphs"/],
      [[], [noop], /"graphs" has the worker "noop"; list workers in "workers"/],
      [[], [undefined], /"graphs" has undefined instead of a graph; use the return value of graph\(…\)/],
    ];
    for (const [workers, graphs, message] of inPlace)
      assert.match(
        refusal(() => new Registry(workers as never, graphs as never)),
        message,
      );
    const other = worker("noop", () => 1);
    assert.match(
      refusal(() => new Registry([noop], [graph("g", (g) => void g.node("a", other))] as never)),
      /Two different workers are named "noop"/,
    );
  });
});
