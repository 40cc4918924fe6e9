/** What every graph's events must be, whatever happened to it (contract section 4): checked one after the other. */
import assert from "node:assert/strict";
import type { GraphEvent } from "svckit/graph";

type Known = Pick<GraphEvent, "seq" | "type" | "node">;

/** @throws AssertionError naming the graph and the first event that does not follow from those before it. */
export function checkJournal(graphId: string, events: readonly Known[]): void {
  const journal = new Journal();
  events.forEach((event, at) => {
    const before = events.slice(Math.max(0, at - 8), at).map(({ type, node = "" }) => `${type} ${node}`.trim());
    const what = `${graphId}: event ${at + 1} is ${event.seq} ${event.type} ${event.node ?? ""} after ${before.join(", ")}`;
    assert.equal(event.seq, at + 1, `${what}: a gap or a double`);
    const refusal = journal.refusal(event);
    assert.equal(refusal, undefined, `${what}: ${refusal}`);
  });
}

type State = "new" | "queued" | "running" | "pausing" | "paused" | "cancelling" | "done" | "failed";

class Journal {
  #graph: State = "new";
  readonly #ready = new Set<string>();
  readonly #running = new Set<string>();
  readonly #done = new Set<string>();
  /** Being taken back. */
  readonly #compensating = new Set<string>();
  /** What workers did under a key of their own, in this epoch: `node#key`. */
  readonly #doneInside = new Set<string>();
  /** Waits and calls that have begun and not ended: whoever they are inside of waits for them. */
  readonly #openInside = new Set<string>();

  /** Takes the event. @returns why it can't come here. */
  refusal(event: Known): string | undefined {
    const before = this.#graph;
    if (event.type.startsWith("graph.")) return this.#graphEvent(event.type, before);
    if (before === "done" || before === "failed") return `the graph is ${before}`;
    if (event.node?.includes("#")) return this.#insideEvent(event.type, event.node);
    return event.node === undefined ? undefined : this.#nodeEvent(event.type, event.node);
  }

  #graphEvent(type: string, before: State): string | undefined {
    const from: Record<string, State[]> = {
      "graph.queued": ["new"],
      // Running already: resumed before it had ever begun. Failed: a retry.
      "graph.started": ["queued", "running", "failed"],
      "graph.pausing": ["queued", "running"],
      "graph.paused": ["pausing"],
      "graph.resumed": ["pausing", "paused"],
      "graph.cancelling": ["queued", "running", "pausing", "paused"],
      "graph.done": ["running", "pausing"],
      "graph.failed": ["queued", "running", "pausing", "paused", "cancelling"],
    };
    if (type === "graph.signal") return before === "done" || before === "failed" ? `the graph is ${before}` : undefined;
    if (!from[type]?.includes(before)) return `the graph is ${before}`;
    const running = [...this.#running].filter((node) => type === "graph.done" || !this.#waits(node));
    if ((type === "graph.paused" || type === "graph.done") && running.length > 0) return `${running.join()} runs`;
    if (before === "failed")
      for (const set of [this.#ready, this.#running, this.#doneInside, this.#openInside]) set.clear();
    const to = type.slice("graph.".length);
    this.#graph = to === "started" || to === "resumed" ? "running" : (to as State);
    return undefined;
  }

  /** Steps, waits and calls are remembered, so they are done once; how they come to it is their worker's. */
  #insideEvent(type: string, node: string): string | undefined {
    if (type.startsWith("node.") && this.#doneInside.has(node)) return "it is done";
    if (type === "node.done") this.#doneInside.add(node);
    if (type === "node.waiting" || type === "node.ready") this.#openInside.add(node);
    else if (["node.done", "node.failed", "node.cancelled", "node.skipped"].includes(type))
      this.#openInside.delete(node);
    return undefined;
  }

  #waits(node: string): boolean {
    return [...this.#openInside].some((inside) => inside.startsWith(`${node}#`));
  }

  #nodeEvent(type: string, node: string): string | undefined {
    if (type === "node.ready") {
      if (this.#done.has(node)) return "it is done";
      this.#running.delete(node);
      this.#ready.add(node);
    } else if (type === "node.started") {
      if (this.#graph !== "running") return `the graph is ${this.#graph}`;
      if (!this.#ready.delete(node)) return "it was not ready";
      this.#running.add(node);
    } else if (type === "node.done") {
      if (!this.#running.delete(node)) return "it does not run";
      this.#done.add(node);
    } else if (type === "node.compensating") {
      if (this.#graph === "cancelling" && this.#compensating.size > 0) return `${[...this.#compensating].join()} is taken back`;
      if (!this.#done.has(node)) return "it was not done";
      this.#compensating.add(node);
    } else if (type === "node.compensated" || type === "node.uncompensated") {
      // Taken back, or tried to: another epoch does it again.
      this.#compensating.delete(node);
      if (!this.#done.delete(node)) return "it was not done";
    } else if (type === "node.retrying" && this.#graph === "cancelling") {
      // To take it back, or to tell it that it was cancelled: then it was not done.
      if (this.#done.has(node) && !this.#compensating.has(node)) return "it is not taken back";
    } else if (type === "node.retrying") {
      if (!this.#running.delete(node)) return "it does not run";
    } else if (type === "node.failed") {
      // A poisonous node was made ready first.
      if (!this.#running.delete(node) && !this.#ready.delete(node)) return "it does not run";
    }
    return undefined;
  }
}
