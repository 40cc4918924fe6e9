/**
 * Lists of runs whose error messages and summaries are encrypted. A query for a text in them reads and decrypts the newest runs that fit
 * its other conditions, as many as the stores read without an index.
 */
import type { RunStatus } from "../../platform/shared/wire.ts";
import type { GraphHead } from "../contract/graph-rows.ts";
import {
  durationOf,
  durationsLimit,
  matches,
  MAX_LOOKED,
  newestDurations,
  statusesOf,
} from "../contract/graph-query.ts";
import type { GraphStore } from "../contract/graph-store.ts";
import { pageLimit } from "../contract/page.ts";
import type { Durations, GraphQuery, Page, TagCounts } from "../contract/queries.ts";
import { tagCountsOf } from "../contract/tag-counts.ts";
import type { PayloadCipher } from "./payload-cipher.ts";
import { graphPayloads } from "./payload-rows.ts";
import { showing, type PayloadTransform } from "./payload-transform.ts";

/** Runs of a page of the store: its maximum. */
const PAGE = 200;

interface Found {
  /** Matches, newest first. */
  heads: GraphHead[];
  /** Id to which runs were read; undefined: all of them. */
  resumeAt: string | undefined;
}

export class EncryptedList {
  readonly #graphs: GraphStore;
  readonly #isOn: boolean;
  readonly #show: PayloadTransform;

  constructor(graphs: GraphStore, cipher: PayloadCipher) {
    this.#graphs = graphs;
    this.#isOn = cipher.isOn;
    this.#show = showing(cipher);
  }

  async page(query: GraphQuery): Promise<Page<GraphHead>> {
    if (!this.#isHidden(query)) return this.#shown(query);
    const limit = pageLimit(query.limit);
    const { heads, resumeAt } = await this.#find(query);
    const items = heads.slice(0, limit);
    return { items, total: heads.length, nextCursor: heads.length > limit ? items.at(-1)?.id : resumeAt };
  }

  async durations(query: GraphQuery, nowMs: number): Promise<Durations> {
    if (!this.#isHidden(query)) return this.#graphs.durations(query, nowMs);
    const { heads, resumeAt } = await this.#find(query);
    const found = heads.flatMap((head) => durationOf(head, nowMs) ?? []);
    return newestDurations(query, found.slice(0, durationsLimit(query) + 1), resumeAt === undefined);
  }

  async tagCounts(query: GraphQuery): Promise<TagCounts> {
    if (!this.#isHidden(query)) return this.#graphs.tagCounts(query);
    const { heads, resumeAt } = await this.#find(query);
    return tagCountsOf(heads, resumeAt === undefined);
  }

  /** Whether the database can't answer it. */
  #isHidden({ error, summary }: GraphQuery): boolean {
    return this.#isOn && (error !== undefined || summary !== undefined);
  }

  async #find(query: GraphQuery): Promise<Found> {
    const walks = await Promise.all(statusesOf(query).map((status) => this.#walk(query, status)));
    // Where one status ends early, the others may have older matches that a later page lists.
    const resumeAt = walks
      .flatMap((walk) => walk.resumeAt ?? [])
      .sort()
      .at(-1);
    const heads = walks
      .flatMap((walk) => walk.heads)
      .filter((head) => (resumeAt === undefined || head.id >= resumeAt) && matches(query, head))
      .sort((a, b) => (a.id < b.id ? 1 : -1));
    return { heads, resumeAt };
  }

  /** The newest runs of a status. */
  async #walk({ error: _error, summary: _summary, ...query }: GraphQuery, status: RunStatus): Promise<Found> {
    const heads: GraphHead[] = [];
    let { cursor } = query;
    do {
      const page = await this.#shown({ ...query, status, limit: PAGE, ...(cursor !== undefined && { cursor }) });
      heads.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined && heads.length < MAX_LOOKED);
    return { heads, resumeAt: cursor };
  }

  async #shown(query: GraphQuery): Promise<Page<GraphHead>> {
    const page = await this.#graphs.list(query);
    return { ...page, items: page.items.map((head) => graphPayloads(this.#show, head.id, head)) };
  }
}
