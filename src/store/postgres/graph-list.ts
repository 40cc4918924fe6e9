/**
 * Pages of graphs, newest first. Every query walks an index that begins with what is asked for and ends with the id: by parent, by
 * tag, by worker or by status, status by status, merged by the database. What no index answers (an error's text; a worker
 * beside a tag) is looked at row by row, at most `MAX_LOOKED` of them.
 */
import { toGraph, toHead } from "../columns.ts";
import type { GraphRow } from "../graph-rows.ts";
import { idRange, isPlain, matches, MAX_TOTAL, statusesOf } from "../graph-query.ts";
import { pageLimit } from "../page.ts";
import type { GraphQuery, Page } from "../queries.ts";
import { GRAPH_STATUSES, type GraphStatus } from "../../shared/wire.ts";
import { clean } from "./group-document.ts";
import type { Database, SqlValue } from "./database.ts";

/** Rows that a page looks at where no index answers: a few milliseconds. */
const MAX_LOOKED = 2000;

/** Indexes to walk, all with the same columns before the id. */
interface Walk {
  /** `<table> WHERE <conditions>`, for each status `$4` and on. */
  sources: { from: string; id: string }[];
  values: SqlValue[];
  /** Whether each candidate has to be looked at. */
  isPartial: boolean;
}

export class GraphList {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async page(query: GraphQuery): Promise<Page<GraphRow>> {
    const limit = pageLimit(query.limit);
    const walk = walkOf(query);
    const [{ ids, resumeAt }, total] = await Promise.all([
      this.#find(query, walk, limit, query.cursor),
      this.#total(query, walk),
    ]);
    const rows = await this.#database.rows("SELECT * FROM svc.graph WHERE id = ANY ($1::text[]) ORDER BY id DESC", ids);
    return { items: rows.map(toGraph), total, nextCursor: resumeAt };
  }

  async countByStatus(): Promise<Record<GraphStatus, number>> {
    const counts = Object.fromEntries(GRAPH_STATUSES.map((status) => [status, 0])) as Record<GraphStatus, number>;
    const rows = await this.#database.rows("SELECT status, sum(total) AS total FROM svc.graph_total GROUP BY status");
    for (const { status, total } of rows) counts[status as GraphStatus] = Number(total);
    return counts;
  }

  async workers(): Promise<string[]> {
    const rows = await this.#database.rows(
      "SELECT worker FROM svc.graph_total GROUP BY worker HAVING sum(total) > 0 ORDER BY worker",
    );
    return rows.map((row) => String(row["worker"]));
  }

  /** @returns ids of matches, and after which id the next page begins; none when this is the last. */
  async #find(
    query: GraphQuery,
    walk: Walk,
    limit: number,
    cursor?: string,
  ): Promise<{ ids: string[]; resumeAt: string | undefined }> {
    const { from } = idRange(query);
    const { to } = idRange(query, cursor);
    const size = walk.isPartial ? MAX_LOOKED : limit + 1;
    const candidates = await this.#candidates(walk, from, to, size);
    const found = walk.isPartial ? await this.#matching(query, candidates) : candidates;
    if (found.length > limit) return { ids: found.slice(0, limit), resumeAt: found[limit - 1] };
    return { ids: found, resumeAt: candidates.length < size ? undefined : candidates.at(-1) };
  }

  /** The newest of all sources. */
  async #candidates({ sources, values }: Walk, from: string, to: string, limit: number): Promise<string[]> {
    if (sources.length === 0) return [];
    const each = sources.map(
      ({ from: table, id }) =>
        `(SELECT ${id} AS id FROM ${table} AND ${id} >= $1 AND ${id} < $2 ORDER BY ${id} DESC LIMIT $3)`,
    );
    const text = `SELECT id FROM (${each.join(" UNION ALL ")}) AS found ORDER BY id DESC LIMIT $3`;
    const rows = await this.#database.rows(text, clean(from), clean(to), limit, ...values);
    return rows.map((row) => String(row["id"]));
  }

  async #matching(query: GraphQuery, ids: readonly string[]): Promise<string[]> {
    const text = "SELECT id, worker, status, tags, error, parent_graph FROM svc.graph WHERE id = ANY ($1::text[])";
    const heads = (await this.#database.rows(text, ids)).map(toHead);
    const fitting = new Set(heads.filter((head) => matches(query, head)).map(({ id }) => id));
    return ids.filter((id) => fitting.has(id));
  }

  async #total(query: GraphQuery, walk: Walk): Promise<number> {
    if (isPlain(query)) return this.#exactTotal(query);
    if (walk.isPartial) return Math.min(MAX_TOTAL, (await this.#find(query, walk, MAX_LOOKED)).ids.length);
    const { from, to } = idRange(query);
    return (await this.#candidates(walk, from, to, MAX_TOTAL)).length;
  }

  async #exactTotal({ worker, status }: GraphQuery): Promise<number> {
    const text =
      "SELECT coalesce(sum(total), 0) AS total FROM svc.graph_total WHERE ($1::text IS NULL OR worker = $1) AND ($2::text IS NULL OR status = $2)";
    return Number((await this.#database.row(text, clean(worker ?? null), status ?? null))?.["total"]);
  }
}

function walkOf(query: GraphQuery): Walk {
  const { worker, tag, parent } = query;
  const hasText = query.error !== undefined;
  if (parent !== undefined) {
    const isPartial = hasText || [worker, query.status, tag].some((value) => value !== undefined);
    return { sources: [{ from: "svc.graph WHERE parent_graph = $4", id: "id" }], values: [clean(parent)], isPartial };
  }
  const isPartial = hasText || (tag !== undefined && worker !== undefined);
  const asked = tag ?? worker;
  const values = asked === undefined ? [] : [clean(asked)];
  const sources = statusesOf(query).map((status) => {
    // Statuses are words of ours.
    if (tag !== undefined) return { from: `svc.graph_tag WHERE tag = $4 AND status = '${status}'`, id: "graph_id" };
    if (worker !== undefined) return { from: `svc.graph WHERE worker = $4 AND status = '${status}'`, id: "id" };
    return { from: `svc.graph WHERE status = '${status}'`, id: "id" };
  });
  return { sources, values, isPartial };
}
