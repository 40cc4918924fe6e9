/** Reads runs, nodes and events for callers. Changes nothing. */
import type { Clock } from "../../../platform/shared/clock.ts";
import type { ChildRow, GraphEvent, StoredGraph } from "../../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";
import type { Durations, GraphQuery, Page, TagCounts } from "../../../storage/contract/queries.ts";
import { artifactView, headView, nodeDetail, snapshotOf } from "../../machine/snapshot.ts";
import type {
  Artifact,
  ArtifactContent,
  EventsQuery,
  NodeDetail,
  Snapshot,
  SnapshotOptions,
} from "../../machine/view-types.ts";
import { checkedQuery } from "../../definition/run-attributes.ts";
import type { Registry } from "../registry.ts";
import { readArtifact } from "../../execution/attempt/artifact.ts";
import { madeInput } from "../../execution/node-input.ts";

/** More nodes than a run has. */
const MANY = 2 ** 31 - 2;
/** Events to read at a time without a noticeable delay. */
const EVENTS = 1000;

export interface ViewsOptions {
  graphs: GraphStore;
  registry: Registry;
  clock: Clock;
}

export class Views {
  readonly #options: ViewsOptions;

  constructor(options: ViewsOptions) {
    this.#options = options;
  }

  /** Snapshot of an existing run. */
  async of(graphId: string): Promise<Snapshot> {
    return (await this.snapshot(graphId)) as Snapshot;
  }

  async snapshot(graphId: string, { limit, after, values }: SnapshotOptions = {}): Promise<Snapshot | undefined> {
    const { graphs } = this.#options;
    // One more node shows whether there are more.
    const slice = { limit: limit === undefined ? MANY : limit + 1, ...(after !== undefined && { after }) };
    const [[stored], children] = await Promise.all([
      graphs.heads([graphId], slice, values === "required" ? values : "read"),
      limit === 0 ? [] : graphs.children([graphId]),
    ]);
    if (!stored) return undefined;
    const nodes = stored.nodes.slice(0, limit).map(headView);
    const snapshot = this.#view(stored, nodes, children);
    return nodes.length < stored.nodes.length ? { ...snapshot, next_node: nodes.at(-1)?.id ?? "" } : snapshot;
  }

  /** An existing run without its nodes and children. Costs the same however many there are. */
  async brief(graphId: string): Promise<Snapshot> {
    return (await this.snapshot(graphId, { limit: 0 })) as Snapshot;
  }

  async node(graphId: string, nodeId: string): Promise<NodeDetail | undefined> {
    const [stored] = await this.#options.graphs.load([graphId]);
    const node = stored?.nodes.find(({ id }) => id === nodeId);
    if (!stored || !node) return undefined;
    const { row, nodes } = stored;
    return nodeDetail(node, madeInput(row, nodes, this.#options.registry.of(row), node));
  }

  async nodes(graphId: string): Promise<NodeDetail[]> {
    const [stored] = await this.#options.graphs.load([graphId]);
    if (!stored) return [];
    const { row, nodes } = stored;
    const definition = this.#options.registry.of(row);
    return nodes.map((node) => nodeDetail(node, madeInput(row, nodes, definition, node)));
  }

  async pastNodes(graphId: string): Promise<NodeDetail[]> {
    return (await this.#options.graphs.pastNodes(graphId)).map((node) => nodeDetail(node));
  }

  async artifacts(graphId: string): Promise<Artifact[]> {
    return (await this.#options.graphs.artifacts(graphId)).map(artifactView);
  }

  async artifact(graphId: string, name: string): Promise<ArtifactContent | undefined> {
    const { graphs } = this.#options;
    const row = (await graphs.artifacts(graphId)).find((one) => one.name === name);
    return row && { artifact: artifactView(row), body: readArtifact(graphs, row) };
  }

  events(graphId: string, { after = 0, limit = EVENTS }: EventsQuery = {}): Promise<GraphEvent[]> {
    return this.#options.graphs.events(graphId, after, limit);
  }

  async list(query: GraphQuery): Promise<Page<Snapshot>> {
    const page = await this.#options.graphs.list(this.#checked(query));
    return { ...page, items: await this.#listed(page.items.map(({ id }) => id)) };
  }

  async waiting(limit: number): Promise<Snapshot[]> {
    return this.#listed(await this.#options.graphs.waiting(limit));
  }

  async durations(query: GraphQuery): Promise<Durations> {
    const nowMs = query.nowMs ?? this.#options.clock.now();
    return this.#options.graphs.durations({ ...this.#checked(query), nowMs }, nowMs);
  }

  async tagCounts(query: GraphQuery): Promise<TagCounts> {
    return this.#options.graphs.tagCounts(this.#checked(query));
  }

  /** @throws SvcError `SVC_INVALID` for an invalid condition on attributes */
  #checked(query: GraphQuery): GraphQuery {
    return checkedQuery({ nowMs: this.#options.clock.now(), ...query });
  }

  /** Without the inputs and results of nodes, and without values that are in a bucket. */
  async #listed(ids: readonly string[]): Promise<Snapshot[]> {
    const { graphs } = this.#options;
    const [all, children] = await Promise.all([graphs.heads(ids, undefined, "noted"), graphs.children(ids)]);
    return all.map((one) => this.#view(one, one.nodes.map(headView), children));
  }

  /** @param children children of this run, and maybe of others. */
  #view(
    { row, lastSeq }: Pick<StoredGraph, "row" | "lastSeq">,
    nodes: Snapshot["nodes"],
    children: readonly ChildRow[],
  ): Snapshot {
    const own = children.filter(({ parentGraph }) => parentGraph === row.id);
    return snapshotOf(row, nodes, this.#options.registry.of(row), lastSeq, own);
  }
}
