import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  afterEvent,
  NOT_STARTED,
  progressOfSnapshot,
  progressSentence,
  stateWord,
  type StreamEvent,
} from "./progress.ts";

const story: StreamEvent[] = [
  { type: "graph.queued" },
  { type: "graph.started" },
  { type: "node.ready", node: "parse" },
  { type: "node.started", node: "parse" },
  { type: "node.done", node: "parse" },
  { type: "node.ready", node: "inspect/0" },
  { type: "node.ready", node: "inspect/1" },
  { type: "node.started", node: "inspect/0" },
  { type: "node.done", node: "inspect/0" },
  { type: "log", node: "inspect/1" },
  { type: "node.done", node: "inspect/1" },
  { type: "node.started", node: "report" },
  { type: "node.done", node: "report" },
  { type: "graph.done" },
];
const after = (count: number) => story.slice(0, count).reduce(afterEvent, NOT_STARTED);

describe("The progress of an audit", () => {
  it("follows the events", () => {
    assert.equal(after(4).parse, "running");
    assert.deepEqual([after(7).packages, after(7).inspected, after(7).inspect], [2, 0, "running"]);
    assert.deepEqual([after(9).inspected, after(9).inspect], [1, "running"]);
    assert.deepEqual([after(11).inspected, after(11).inspect], [2, "done"]);
    assert.deepEqual([after(12).report, after(12).isOver], ["running", false]);
    assert.deepEqual([after(14).report, after(14).isOver], ["done", true]);
  });

  it("is the same from a snapshot and from the events before it", () => {
    const half = progressOfSnapshot({
      status: "running",
      nodes: [
        { id: "parse", status: "done" },
        { id: "inspect/0", status: "done" },
        { id: "inspect/1", status: "running" },
        { id: "report", status: "pending" },
      ],
    });
    assert.deepEqual(half, after(9));
  });

  it("shows a failed node as failed", () => {
    const failed = [...story.slice(0, 4), { type: "node.failed", node: "parse" }, { type: "graph.failed" }];
    const progress = failed.reduce(afterEvent, NOT_STARTED);
    assert.deepEqual([progress.parse, progress.isOver], ["failed", true]);
  });

  it("shows nodes that a failure prevented as not run, from events and from a snapshot", () => {
    const failed = [...story.slice(0, 4), { type: "node.failed", node: "parse" }, { type: "graph.failed" }];
    const progress = failed.reduce(afterEvent, NOT_STARTED);
    assert.deepEqual([progress.inspect, progress.report].map(stateWord), ["not run", "not run"]);
    const nodes = [{ id: "parse", status: "failed" }];
    assert.deepEqual(progressOfSnapshot({ status: "failed", nodes }), progress);
  });

  it("is paused until it is resumed", () => {
    const paused = afterEvent(after(9), { type: "graph.paused" });
    assert.equal(paused.isPaused, true);
    assert.equal(afterEvent(paused, { type: "node.ready", node: "report" }).isPaused, true);
    assert.equal(afterEvent(paused, { type: "graph.resumed" }).isPaused, false);
  });

  it("is described by a sentence that changes rarely", () => {
    const sentences = new Set(story.map((_, index) => progressSentence(after(index + 1))));
    assert.deepEqual(
      [...sentences],
      [
        "Reading the lockfile.",
        "Inspecting the packages.",
        "Inspecting the packages: half is done.",
        "Writing the report.",
        "The audit has ended.",
      ],
    );
  });
});
