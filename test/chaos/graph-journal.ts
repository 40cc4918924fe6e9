/** Checks a run's events in order against the rules that hold for every run (contract section 4). */
import assert from "node:assert/strict";
import type { GraphEvent } from "svckit/graph";

type Known = Pick<GraphEvent, "seq" | "type" | "node" | "data">;

/** @throws AssertionError that names the run and the first event that does not follow from the previous ones. */
export function checkJournal(graphId: string, events: readonly Known[]): void {
  const journal = new Journal();
  events.forEach((event, at) => {
    const before = events.slice(Math.max(0, at - 8), at).map(({ type, node = "" }) => `${type} ${node}`.trim());
    const what = `${graphId}: event ${at + 1} is ${event.seq} ${event.type} ${event.node ?? ""} after ${before.join(", ")}`;
    assert.equal(event.seq, at + 1, `${what}: a gap or a duplicate`);
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
  /** Nodes that are being compensated. */
  readonly #compensating = new Set<string>();
  /** Completed steps of this epoch: `node#key`. */
  readonly #doneInside = new Set<string>();
  /** Waits and calls that have begun and not ended; their nodes wait for them. */
  readonly #openInside = new Set<string>();

  /** Applies the event. @returns why it is not valid here. */
  refusal(event: Known): string | undefined {
    const before = this.#graph;
    if (event.type.startsWith("graph.")) return this.#graphEvent(kindOf(event), before);
    if (before === "done" || before === "failed") return `the graph is ${before}`;
    if (event.node?.includes("#")) return this.#insideEvent(event.type, event.node);
    return event.node === undefined ? undefined : this.#nodeEvent(event.type, event.node);
  }

  #graphEvent(type: string, before: State): string | undefined {
    const from: Record<string, State[]> = {
      "graph.queued": ["new"],
      // A delayed or retried run waits for its key from now on. Running: resumed before it had begun.
      "graph.queued for a key": ["queued", "running", "failed"],
      "graph.paused as parked": ["queued", "running"],
      // Running: resumed before it had begun. Failed: retried.
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
    const to = type.split(/[. ]/)[1];
    this.#graph = to === "started" || to === "resumed" ? "running" : (to as State);
    return undefined;
  }

  /** Steps, waits and calls are done at most once. Their order is up to the worker. */
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
      if (this.#graph === "cancelling" && this.#compensating.size > 0)
        return `${[...this.#compensating].join()} is being compensated`;
      if (!this.#done.has(node)) return "it was not done";
      this.#compensating.add(node);
    } else if (type === "node.compensated" || type === "node.uncompensated") {
      // Compensated or not, the next epoch runs the node again.
      this.#compensating.delete(node);
      if (!this.#done.delete(node)) return "it was not done";
    } else if (type === "node.retrying" && this.#graph === "cancelling") {
      // Retries a compensation or an `onCancel`; the latter concerns nodes that were not done.
      if (this.#done.has(node) && !this.#compensating.has(node)) return "it is not being compensated";
    } else if (type === "node.retrying") {
      if (!this.#running.delete(node)) return "it does not run";
    } else if (type === "node.failed") {
      // A poisoned node was made ready before it failed.
      if (!this.#running.delete(node) && !this.#ready.delete(node)) return "it does not run";
    }
    return undefined;
  }
}

/** An event of the same type has other rules if the run waits for a key, or is parked. */
function kindOf({ type, data }: Known): string {
  const { key, reason } = (data ?? {}) as { key?: unknown; reason?: unknown };
  if (type === "graph.queued" && key !== undefined) return `${type} for a key`;
  return type === "graph.paused" && reason === "parked" ? `${type} as parked` : type;
}
