/**
 * The writes of a group for one run: a transition, or several made on top of each other. Transitions are joined only if each certainly
 * succeeds when the previous one does: same chain, consecutive numbers, and a phase that the previous one leaves. No I/O.
 */
import type { GraphEvent, GraphPhase, GraphRow, NewEvent, NodeRow } from "../../contract/graph-rows.ts";
import type { Transition } from "../../contract/transition.ts";

export type Change = Record<string, unknown>;

export class TransitionDraft {
  readonly graphId: string;
  readonly fence: Transition["fence"];
  /** In order. */
  readonly transitions: Transition[];
  readonly insert: (GraphRow & Change) | undefined;
  readonly graph: Partial<GraphRow> = {};
  readonly insertNodes = new Map<string, NodeRow>();
  readonly nodes = new Map<string, Change>();
  readonly events: NewEvent[] = [];
  #phase: GraphPhase | undefined;

  constructor(transition: Transition) {
    this.graphId = transition.graphId;
    this.fence = transition.fence;
    this.transitions = [transition];
    this.insert = transition.insert && { ...transition.insert };
    const { phases } = transition.fence ?? {};
    this.#phase = phases?.length === 1 ? phases[0] : undefined;
    this.#take(transition);
  }

  /** Joins a transition that certainly succeeds with these. @returns false if that is uncertain; nothing has changed then. */
  join(transition: Transition): boolean {
    if (!this.#isNext(transition)) return false;
    this.transitions.push(transition);
    this.#take(transition);
    return true;
  }

  #isNext({ fence, insert, deleteNodes, insertNodes = [] }: Transition): boolean {
    const first = this.fence;
    if (
      !first ||
      !fence ||
      insert ||
      deleteNodes ||
      fence.node ||
      this.transitions.some((transition) => transition.deleteNodes)
    )
      return false;
    if (first.line === undefined || fence.line !== first.line || fence.epoch !== (this.graph.epoch ?? first.epoch))
      return false;
    if (first.seq === undefined || fence.seq !== first.seq + this.events.length) return false;
    if (fence.lease !== first.lease) return false;
    if (this.#phase === undefined || !fence.phases.includes(this.#phase)) return false;
    // The database refuses a second row with this id.
    return insertNodes.every(({ id }) => !this.insertNodes.has(id) && !this.nodes.has(id));
  }

  #take({ graph, nodes = [], insertNodes = [], events = [] }: Transition): void {
    if (graph?.phase !== undefined) this.#phase = graph.phase;
    Object.assign(this.insert ?? this.graph, graph);
    for (const node of insertNodes) this.insertNodes.set(node.id, { ...node });
    for (const change of nodes) {
      const inserted = this.insertNodes.get(change.id);
      if (inserted) Object.assign(inserted, change);
      else this.nodes.set(change.id, { ...this.nodes.get(change.id), ...change });
    }
    this.events.push(...events);
  }

  /** The events of each transition with their numbers. @param seq number of the last event before. */
  numbered(seq: number): GraphEvent[][] {
    let next = seq;
    return this.transitions.map(({ events = [] }) => events.map((event) => ({ ...event, seq: ++next })));
  }
}
