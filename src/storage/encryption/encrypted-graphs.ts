/** Runs whose payloads are encrypted on their way to the database, and decrypted on their way back. */
import type { Json } from "../../platform/shared/json.ts";
import type { RunStatus } from "../../platform/shared/wire.ts";
import type { ArtifactRow, UploadKey } from "../contract/artifacts.ts";
import type {
  ChildRow,
  GraphEvent,
  GraphHead,
  GraphRow,
  LargeValues,
  ListedGraph,
  NodeRow,
  NodeSlice,
  StoredGraph,
} from "../contract/graph-rows.ts";
import type { GraphStore } from "../contract/graph-store.ts";
import type { Durations, GraphQuery, Page, PurgeQuery, PurgeStep, TagCounts } from "../contract/queries.ts";
import type { AwaitingStep } from "../contract/sent-events.ts";
import type { TransactionRun } from "../contract/transaction.ts";
import type { Transition } from "../contract/transition.ts";
import type { OutboxRow } from "../contract/webhook-rows.ts";
import { EncryptedList } from "./encrypted-list.ts";
import { isMarked, keyOfText, type PayloadCipher } from "./payload-cipher.ts";
import {
  auditPayloads,
  deliveryPayloads,
  eventPayloads,
  graphPayloads,
  nodePayloads,
  partPlace,
  pastNodePayloads,
  staysPlain,
  storedPayloads,
  transitionPayloads,
} from "./payload-rows.ts";
import { opening, sealing, showing, type PayloadTransform } from "./payload-transform.ts";

export class EncryptedGraphs implements GraphStore {
  readonly #graphs: GraphStore;
  readonly #seal: PayloadTransform;
  readonly #open: PayloadTransform;
  readonly #show: PayloadTransform;
  readonly #list: EncryptedList;
  readonly #sent: WeakMap<OutboxRow, OutboxRow>;
  readonly #isOn: boolean;
  /** Decrypted events by their stored form: all followers of a run get the same objects. */
  readonly #shown = new WeakMap<GraphEvent, GraphEvent>();
  readonly eventsAtHand?: (graphId: string, afterSeq: number) => GraphEvent[] | undefined;
  readonly announce?: (graphId?: string) => void;

  /** @param sent receives the deliveries of commits, by their encrypted form. */
  constructor(graphs: GraphStore, cipher: PayloadCipher, sent: WeakMap<OutboxRow, OutboxRow>) {
    this.#graphs = graphs;
    this.#seal = sealing(cipher);
    this.#open = opening(cipher);
    this.#show = showing(cipher);
    this.#list = new EncryptedList(graphs, cipher);
    this.#sent = sent;
    this.#isOn = cipher.isOn;
    if (graphs.eventsAtHand)
      this.eventsAtHand = (graphId, afterSeq) => {
        const events = graphs.eventsAtHand?.(graphId, afterSeq);
        return events && this.#events(events);
      };
    if (graphs.announce) this.announce = (graphId) => graphs.announce?.(graphId);
  }

  async commit(transition: Transition): Promise<boolean> {
    return this.#graphs.commit(this.#sealed(transition));
  }

  transact({ decide, ...rest }: TransactionRun): Promise<Json> {
    let own: Transition | undefined;
    return this.#graphs.transact({
      ...rest,
      decide: (result, before) => {
        own = decide(result, before && own);
        return this.#sealed(own);
      },
    });
  }

  #sealed(transition: Transition): Transition {
    if (!this.#isOn && staysPlain(transition)) return transition;
    const { outbox, outboxAgain, audit } = transition;
    return {
      ...transitionPayloads(this.#seal, transition),
      ...(outbox && { outbox: this.#outbox(outbox) }),
      ...(outboxAgain && { outboxAgain: () => this.#outbox(outboxAgain()) }),
      ...(audit && { audit: auditPayloads(this.#seal, audit) }),
    };
  }

  #outbox(rows: readonly OutboxRow[]): OutboxRow[] {
    return rows.map((row) => {
      const sealed = deliveryPayloads(this.#seal, row);
      if (sealed !== row) this.#sent.set(sealed, row);
      return sealed;
    });
  }

  async load(ids: readonly string[]): Promise<StoredGraph[]> {
    return (await this.#graphs.load(ids)).map((stored) => storedPayloads(this.#open, stored));
  }

  async heads(ids: readonly string[], slice?: NodeSlice, large?: LargeValues): Promise<ListedGraph[]> {
    const to = large === "required" ? this.#open : this.#show;
    return (await this.#graphs.heads(ids, slice, large)).map(({ row, nodes, lastSeq }) => ({
      row: graphPayloads(to, row.id, row),
      nodes: nodes.map((node) => nodePayloads(to, row.id, node)),
      lastSeq,
    }));
  }

  async graph(id: string): Promise<GraphRow | undefined> {
    const row = await this.#graphs.graph(id);
    return row && graphPayloads(this.#open, id, row);
  }

  async byIdempotencyKey(worker: string, key: string): Promise<GraphRow | undefined> {
    const row = await this.#graphs.byIdempotencyKey(worker, key);
    return row && graphPayloads(this.#open, row.id, row);
  }

  async pastNodes(graphId: string): Promise<NodeRow[]> {
    return (await this.#graphs.pastNodes(graphId)).map((node) => pastNodePayloads(this.#open, node));
  }

  children(graphIds: readonly string[]): Promise<ChildRow[]> {
    return this.#graphs.children(graphIds);
  }

  hasSignal(graphId: string, key: string): Promise<boolean> {
    return this.#graphs.hasSignal(graphId, key);
  }

  async events(graphId: string, afterSeq: number, limit?: number): Promise<GraphEvent[]> {
    return this.#events(await this.#graphs.events(graphId, afterSeq, limit));
  }

  /** Screens show events, and nothing is decided by their data. */
  #events<Events extends readonly GraphEvent[]>(events: Events): Events | GraphEvent[] {
    if (!events.some(({ data }) => isMarked(data))) return events;
    return events.map((event) => {
      if (keyOfText(event.data) === undefined) return eventPayloads(this.#show, event);
      const known = this.#shown.get(event);
      if (known) return known;
      const shown = this.#later(event);
      this.#shown.set(event, shown);
      return shown;
    });
  }

  /** Decrypts the data when it is read, because most followers look only at types. */
  #later(event: GraphEvent): GraphEvent {
    const show = this.#show;
    let shown: GraphEvent | undefined;
    return {
      ...event,
      get data(): Json {
        shown ??= eventPayloads(show, event);
        return shown.data ?? null;
      },
    };
  }

  onEvents(graphId: string, listener: (events: readonly GraphEvent[]) => void): () => void {
    return this.#graphs.onEvents(graphId, (events) => listener(this.#events(events)));
  }

  onAnyEvents(listener: (graphId: string | undefined) => void): () => void {
    return this.#graphs.onAnyEvents(listener);
  }

  unfinished(after: string, limit: number, except?: readonly string[]): Promise<string[]> {
    return this.#graphs.unfinished(after, limit, except);
  }

  waiting(limit: number): Promise<string[]> {
    return this.#graphs.waiting(limit);
  }

  awaiting(event: string, limit: number, after?: AwaitingStep): Promise<AwaitingStep[]> {
    return this.#graphs.awaiting(event, limit, after);
  }

  list(query: GraphQuery): Promise<Page<GraphHead>> {
    return this.#list.page(query);
  }

  durations(query: GraphQuery, nowMs: number): Promise<Durations> {
    return this.#list.durations(query, nowMs);
  }

  tagCounts(query: GraphQuery): Promise<TagCounts> {
    return this.#list.tagCounts(query);
  }

  countByStatus(): Promise<Record<RunStatus, number>> {
    return this.#graphs.countByStatus();
  }

  workers(): Promise<string[]> {
    return this.#graphs.workers();
  }

  purge(query: PurgeQuery): Promise<PurgeStep> {
    return this.#graphs.purge(query);
  }

  valueObjects(graphIds: readonly string[]): Promise<string[]> {
    return this.#graphs.valueObjects(graphIds);
  }

  // Artifacts.

  async writePart(graphId: string, upload: string, at: number, data: Uint8Array): Promise<void> {
    const sealed = this.#seal.bytes(data, partPlace(graphId, upload, at));
    await this.#graphs.writePart(graphId, upload, at, sealed);
  }

  async part(graphId: string, upload: string, at: number): Promise<Uint8Array | undefined> {
    const data = await this.#graphs.part(graphId, upload, at);
    return data && this.#open.bytes(data, partPlace(graphId, upload, at));
  }

  dropParts(graphId: string, upload: string): Promise<void> {
    return this.#graphs.dropParts(graphId, upload);
  }

  uploads(graphIds: readonly string[]): Promise<UploadKey[]> {
    return this.#graphs.uploads(graphIds);
  }

  artifacts(graphId: string): Promise<ArtifactRow[]> {
    return this.#graphs.artifacts(graphId);
  }
}
