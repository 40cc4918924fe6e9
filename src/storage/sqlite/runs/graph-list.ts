/**
 * Pages of runs, newest first. Every query walks an index with the conditions first and the id last: by parent, by tag, by worker or by
 * status, merged here over statuses. The indexes by worker and by status also contain times, so durations and end times are compared
 * during the walk, for at most `MAX_COMPARED` runs. Conditions without an index (error text, summary, origin, a worker with a tag) read
 * at most `MAX_LOOKED` rows. With conditions on attributes, the condition that selects the fewest runs decides, if it selects few.
 */
import { RUN_STATUSES, type RunStatus } from "../../../platform/shared/wire.ts";
import { attributeConditions, type AttributeCondition } from "../../contract/attributes.ts";
import type { GraphHead } from "../../contract/graph-rows.ts";
import type { Durations, GraphQuery, Page, TagCounts } from "../../contract/queries.ts";
import {
  durationsLimit,
  hasAttributes,
  HEAD_COLUMNS,
  idRange,
  isLookedFor,
  isPlain,
  matches,
  MAX_COMPARED,
  MAX_LOOKED,
  MAX_TOTAL,
  newestDurations,
  statusesOf,
  timesAsked,
  type TimesAsked,
} from "../../contract/graph-query.ts";
import { pageLimit } from "../../contract/page.ts";
import { sliceOfFew } from "../../contract/few-runs.ts";
import { tagCountsOf } from "../../contract/tag-counts.ts";
import { toHead } from "../../contract/columns.ts";
import type { Database } from "../database.ts";

const CHUNK = 500;

/** An index to walk: everything before the id is fixed. */
interface Source {
  /** `<table> WHERE <conditions>`. */
  from: string;
  id: string;
  values: string[];
  /** Whether its rows are in no order of their ids: only their number is limited. */
  isUnordered?: true;
}

interface Walk {
  sources: Source[];
  /** Whether each candidate must be read. */
  isPartial: boolean;
  /** Conditions that the indexes compare: `AND …`, with values. Undefined: none, or the indexes lack times. */
  compared: { text: string; values: (string | number)[] } | undefined;
  hasTimes: boolean;
}

export class GraphList {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  page(query: GraphQuery): Page<GraphHead> {
    const limit = pageLimit(query.limit);
    const few = this.#few(query);
    if (few) {
      const { ids, resumeAt } = sliceOfFew(few, limit, idRange(query, query.cursor).to);
      return { items: this.#newest(ids), total: Math.min(MAX_TOTAL, few.length), nextCursor: resumeAt };
    }
    const walk = walkOf(query);
    const { ids, resumeAt } = this.#walked(query, walk, limit, query.cursor);
    return { items: this.#newest(ids), total: this.#total(query, walk), nextCursor: resumeAt };
  }

  countByStatus(): Record<RunStatus, number> {
    const counts = Object.fromEntries(RUN_STATUSES.map((status) => [status, 0])) as Record<RunStatus, number>;
    for (const { status, total } of this.#database
      .sql("SELECT status, sum(total) AS total FROM graph_total GROUP BY status")
      .all()) {
      counts[status as RunStatus] = Number(total);
    }
    return counts;
  }

  /** A run's nodes are adjacent, so each run is scanned. An index of waiting nodes would cost every node. */
  waiting(limit: number): string[] {
    return this.#database
      .sql(
        `SELECT one FROM (SELECT id AS one FROM graph WHERE status = 'running' ORDER BY id LIMIT ${MAX_LOOKED})
         WHERE EXISTS (SELECT 1 FROM node WHERE graph_id = one AND kind = 'wait' AND status = 'waiting') LIMIT ?`,
      )
      .all(limit)
      .map((row) => String(row["one"]));
  }

  workers(): string[] {
    return this.#database
      .sql("SELECT DISTINCT worker FROM graph_total WHERE total > 0 ORDER BY worker")
      .all()
      .map((row) => String(row["worker"]));
  }

  /** The newest matches. */
  #find(query: GraphQuery, walk: Walk): { ids: string[]; resumeAt: string | undefined } {
    const few = this.#few(query);
    return few ? { ids: few, resumeAt: undefined } : this.#walked(query, walk, MAX_LOOKED);
  }

  /** @returns ids of matches, and the id after which the next page begins; none for the last page. */
  #walked(
    query: GraphQuery,
    walk: Walk,
    limit: number,
    cursor?: string,
  ): { ids: string[]; resumeAt: string | undefined } {
    const range = idRange(query, cursor);
    const from = this.#floor(walk, range);
    let { to } = range;
    const found: string[] = [];
    for (let looked = 0; looked < MAX_LOOKED;) {
      const size = walk.isPartial ? CHUNK : limit + 1;
      const candidates = this.#candidates(walk, from, to, size);
      found.push(...(walk.isPartial ? this.#matching(query, candidates) : candidates));
      if (found.length > limit) return { ids: found.slice(0, limit), resumeAt: found[limit - 1] };
      const last = candidates.at(-1);
      if (candidates.length < size || last === undefined)
        return { ids: found, resumeAt: from === range.from ? undefined : from };
      to = last;
      looked += size;
    }
    return { ids: found, resumeAt: to };
  }

  /** Ids of all matches, newest first, if the query has attributes and a condition selects at most `MAX_LOOKED` runs. */
  #few(query: GraphQuery): string[] | undefined {
    if (!hasAttributes(query)) return undefined;
    const range = idRange(query);
    let fewest: string[] | undefined;
    for (const sources of selectionsOf(query)) {
      // Another one helps only if it selects fewer.
      const most = fewest?.length ?? MAX_LOOKED + 1;
      if (most === 0) break;
      const ids = this.#selected(sources, range, most);
      if (ids.length < most) fewest = ids;
    }
    return fewest && this.#matching(query, fewest).sort().reverse();
  }

  /** Ids in any order, at most `limit`; as one text, because a row for each takes twice as long. */
  #selected(sources: readonly Source[], { from, to }: { from: string; to: string }, limit: number): string[] {
    const found: string[] = [];
    for (const { from: table, id, values, isUnordered } of sources) {
      const [inRange, range] = isUnordered ? ["", []] : [` AND ${id} >= ? AND ${id} < ?`, [from, to]];
      const row = this.#database
        .sql(`SELECT json_group_array(id) AS ids FROM (SELECT ${id} AS id FROM ${table}${inRange} LIMIT ?)`)
        .get(...values, ...range, limit - found.length);
      found.push(...(JSON.parse(String(row?.["ids"])) as string[]));
      if (found.length === limit) break;
    }
    return found;
  }

  /** The lowest id to read. */
  #floor({ sources, compared }: Walk, { from, to }: { from: string; to: string }): string {
    if (!compared) return from;
    const floors = sources.map(({ from: table, id, values }) => {
      const text = `SELECT ${id} AS id FROM ${table} AND ${id} >= ? AND ${id} < ? ORDER BY ${id} DESC LIMIT 1 OFFSET ${MAX_COMPARED - 1}`;
      return String(this.#database.sql(text).get(...values, from, to)?.["id"] ?? from);
    });
    return [from, ...floors].sort().at(-1) as string;
  }

  /** The newest of all sources. */
  #candidates({ sources, compared }: Walk, from: string, to: string, limit: number): string[] {
    const ids = sources.flatMap(({ from: table, id, values }) =>
      this.#database
        .sql(
          `SELECT ${id} AS id FROM ${table}${compared?.text ?? ""} AND ${id} >= ? AND ${id} < ? ORDER BY ${id} DESC LIMIT ?`,
        )
        .all(...values, ...(compared?.values ?? []), from, to, limit)
        .map((row) => String(row["id"])),
    );
    return (sources.length === 1 ? ids : ids.sort().reverse()).slice(0, limit);
  }

  #matching(query: GraphQuery, ids: readonly string[]): string[] {
    const fitting = new Set(
      this.#heads(ids)
        .filter((head) => matches(query, head))
        .map(({ id }) => id),
    );
    return ids.filter((id) => fitting.has(id));
  }

  #newest(ids: readonly string[]): GraphHead[] {
    return this.#heads(ids).sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  #heads(ids: readonly string[]): GraphHead[] {
    return this.#database
      .sql(`SELECT ${HEAD_COLUMNS} FROM graph WHERE id IN (SELECT value FROM json_each(?))`)
      .all(JSON.stringify(ids))
      .map(toHead);
  }

  tagCounts(query: GraphQuery): TagCounts {
    const { ids, resumeAt } = this.#find(query, walkOf(query));
    return tagCountsOf(this.#heads(ids), resumeAt === undefined);
  }

  durations(query: GraphQuery, nowMs: number): Durations {
    const walk = walkOf(query);
    const { sources, compared } = walk;
    if (walk.isPartial || !walk.hasTimes) {
      const { ids, resumeAt } = this.#find(query, walk);
      const inThese = `graph WHERE id IN (SELECT value FROM json_each(?))`;
      const lengths = this.#lengths(inThese, [JSON.stringify(ids)], nowMs, durationsLimit(query) + 1);
      return newestDurations(
        query,
        lengths.map(([, ms]) => ms),
        resumeAt === undefined,
      );
    }
    const { from, to } = idRange(query);
    const found = sources.flatMap(({ from: table, id, values }) =>
      this.#lengths(
        `${table}${compared?.text ?? ""} AND ${id} >= ? AND ${id} < ?`,
        [...values, ...(compared?.values ?? []), from, to],
        nowMs,
        durationsLimit(query) + 1,
      ),
    );
    if (sources.length > 1) found.sort(([a], [b]) => (a < b ? 1 : -1));
    return newestDurations(
      query,
      found.map(([, ms]) => ms),
    );
  }

  /** Newest first, as one text: a row for each takes twice as long. */
  #lengths(from: string, values: (string | number)[], nowMs: number, limit: number): [id: string, ms: number][] {
    const row = this.#database
      .sql(
        `SELECT json_group_array(json_array(id, ms)) AS found FROM (SELECT id, coalesce(finished_ms, ?) - started_ms AS ms
         FROM ${from} AND started_ms IS NOT NULL ORDER BY id DESC LIMIT ?)`,
      )
      .get(nowMs, ...values, limit);
    return JSON.parse(String(row?.["found"])) as [string, number][];
  }

  #total(query: GraphQuery, walk: Walk): number {
    if (isPlain(query)) return this.#exactTotal(query);
    if (walk.isPartial) return this.#walked(query, walk, MAX_LOOKED).ids.length;
    const range = idRange(query);
    const from = this.#floor(walk, range);
    const { compared } = walk;
    const counts = walk.sources.map(({ from: table, id, values }) =>
      this.#database
        .sql(
          `SELECT count(*) AS total FROM (SELECT 1 FROM ${table}${compared?.text ?? ""} AND ${id} >= ? AND ${id} < ? LIMIT ${String(MAX_TOTAL)})`,
        )
        .get(...values, ...(compared?.values ?? []), from, range.to),
    );
    return Math.min(
      MAX_TOTAL,
      counts.reduce((sum, row) => sum + Number(row?.["total"]), 0),
    );
  }

  #exactTotal({ worker, status }: GraphQuery): number {
    return this.#database
      .sql("SELECT worker, status, total FROM graph_total")
      .all()
      .filter((row) => (worker ?? row["worker"]) === row["worker"] && (status ?? row["status"]) === row["status"])
      .reduce((sum, row) => sum + Number(row["total"]), 0);
  }
}

function walkOf(query: GraphQuery): Walk {
  const { worker, tag, parent } = query;
  const hasText = isLookedFor(query);
  const times = timesAsked(query);
  if (parent !== undefined) {
    const isPartial =
      hasText || hasAttributes(query) || [worker, query.status, tag, times].some((value) => value !== undefined);
    return { sources: [childrenOf(parent)], isPartial, compared: undefined, hasTimes: false };
  }
  if (hasAttributes(query)) return attributeWalk(query);
  const hasTimes = tag === undefined;
  const isPartial = hasText || (!hasTimes && (worker !== undefined || times !== undefined));
  const compared = isPartial || !times ? undefined : timesCondition(times);
  const sources = statusesOf(query).map((status): Source => {
    if (tag !== undefined) return withTag(tag, status);
    return worker === undefined ? withStatus(status) : ofWorker(worker, status);
  });
  return { sources, isPartial, compared, hasTimes };
}

/** Walks the runs with one attribute, newest first, if it has a value; or compares its value during the walk. */
function attributeWalk(query: GraphQuery): Walk {
  const conditions = attributeConditions(query.attributes);
  const condition = conditions.find(({ isExact }) => isExact) ?? (conditions[0] as AttributeCondition);
  const { name } = condition;
  const sources = statusesOf(query).map((status): Source =>
    condition.isExact
      ? withAttribute(condition, status)
      : { from: "graph_attribute WHERE name = ? AND status = ?", id: "graph_id", values: [name, status] },
  );
  const compared = condition.isExact
    ? undefined
    : // Without an index on the value, because that would read the runs in another order.
      { text: " AND +value >= ? AND +value < ?", values: [condition.from, condition.below] };
  return { sources, isPartial: true, compared, hasTimes: false };
}

/** The conditions of a query that an index answers, each as sources. */
function selectionsOf(query: GraphQuery): Source[][] {
  const { worker, tag, parent, sinceMs, idPrefix, attributes } = query;
  const statuses = statusesOf(query);
  const of = (source: (status: RunStatus) => Source): Source[] => statuses.map(source);
  return [
    ...attributeConditions(attributes).map((condition) => of((status) => withAttribute(condition, status))),
    ...(tag === undefined ? [] : [of((status) => withTag(tag, status))]),
    ...(parent === undefined ? [] : [[childrenOf(parent)]]),
    ...(worker === undefined ? [] : [of((status) => ofWorker(worker, status))]),
    ...(statuses.length === RUN_STATUSES.length ? [] : [of(withStatus)]),
    ...(sinceMs === undefined && idPrefix === undefined ? [] : [[ANY_RUN]]),
  ];
}

const ANY_RUN: Source = { from: "graph WHERE true", id: "id", values: [] };

function childrenOf(parent: string): Source {
  return { from: "graph WHERE parent_graph = ?", id: "id", values: [parent] };
}

function withTag(tag: string, status: RunStatus): Source {
  return { from: "graph_tag WHERE tag = ? AND status = ?", id: "graph_id", values: [tag, status] };
}

function ofWorker(worker: string, status: RunStatus): Source {
  return { from: "graph WHERE worker = ? AND status = ?", id: "id", values: [worker, status] };
}

function withStatus(status: RunStatus): Source {
  return { from: "graph WHERE status = ?", id: "id", values: [status] };
}

function withAttribute(condition: AttributeCondition, status: RunStatus): Source {
  const [table, of] = [
    "graph_attribute INDEXED BY graph_attribute_value WHERE name = ? AND status = ?",
    condition.name,
  ];
  if (condition.isExact)
    return { from: `${table} AND value = ?`, id: "graph_id", values: [of, status, condition.from] };
  const values = [of, status, condition.from, condition.below];
  return { from: `${table} AND value >= ? AND value < ?`, id: "graph_id", values, isUnordered: true };
}

function timesCondition(asked: TimesAsked): NonNullable<Walk["compared"]> {
  const { longerMs, shorterMs, finishedSinceMs, finishedUntilMs, nowMs } = asked;
  const length = "coalesce(finished_ms, ?) - started_ms";
  const values: number[] = [];
  const when = (condition: string, ms: number | undefined, ...before: number[]): string => {
    if (ms === undefined) return "";
    values.push(...before, ms);
    return ` AND ${condition} ?`;
  };
  const text =
    when(`${length} >=`, longerMs, nowMs) +
    when(`${length} <`, shorterMs, nowMs) +
    when("finished_ms >=", finishedSinceMs) +
    when("finished_ms <=", finishedUntilMs);
  return { text, values };
}
