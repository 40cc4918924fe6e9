/**
 * Pages of runs, newest first. Every query walks an index with the conditions first and the id last: by parent, by tag, by worker or by
 * status, which the database merges over statuses. Durations and end times are compared during the walk, for at most `MAX_COMPARED` runs.
 * Conditions without an index (error text, summary, origin, a worker with a tag) read at most `MAX_LOOKED` rows. With conditions on
 * attributes, the condition that selects the fewest runs decides, if it selects few.
 */
import { attributeConditions, type AttributeCondition } from "../../contract/attributes.ts";
import { toHead } from "../../contract/columns.ts";
import { sliceOfFew } from "../../contract/few-runs.ts";
import type { GraphHead } from "../../contract/graph-rows.ts";
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
import { tagCountsOf } from "../../contract/tag-counts.ts";
import type { Durations, GraphQuery, Page, TagCounts } from "../../contract/queries.ts";
import { RUN_STATUSES, type RunStatus } from "../../../platform/shared/wire.ts";
import { clean } from "../write/group-document.ts";
import type { Database, SqlValue } from "../database.ts";
import type { Row } from "../../contract/row.ts";

/** Index of the first value of the sources. */
const FIRST_VALUE = 4;

/** Indexes to walk, all with the same columns before the id. */
interface Walk {
  /** `<table> WHERE <conditions>`, for each status `$4` and on. */
  sources: { from: string; id: string }[];
  values: SqlValue[];
  /** Whether each candidate must be read. */
  isPartial: boolean;
  /** Conditions compared during the walk: `AND …`, with values after those of the sources. Undefined: none, or the indexes lack times. */
  compared: { text: string; values: (string | number)[] } | undefined;
  hasTimes: boolean;
}

/** A condition that an index answers. */
interface Selection {
  /** `<table> WHERE <conditions>` for each status, with values from `$4` on. */
  sources: readonly string[];
  id: string;
  values: readonly string[];
  /** Whether its rows are in no order of their ids: only their number is limited. */
  isUnordered?: true;
}

export class GraphList {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async page(query: GraphQuery): Promise<Page<GraphHead>> {
    const limit = pageLimit(query.limit);
    const few = await this.#few(query);
    if (few) {
      const { ids, resumeAt } = sliceOfFew(few, limit, idRange(query, query.cursor).to);
      return { items: await this.#newest(ids), total: Math.min(MAX_TOTAL, few.length), nextCursor: resumeAt };
    }
    const walk = walkOf(query);
    const [{ ids, resumeAt }, total] = await Promise.all([
      this.#walked(query, walk, limit, query.cursor),
      this.#total(query, walk),
    ]);
    return { items: await this.#newest(ids), total, nextCursor: resumeAt };
  }

  async countByStatus(): Promise<Record<RunStatus, number>> {
    const counts = Object.fromEntries(RUN_STATUSES.map((status) => [status, 0])) as Record<RunStatus, number>;
    const rows = await this.#database.rows("SELECT status, sum(total) AS total FROM svc.graph_total GROUP BY status");
    for (const { status, total } of rows) counts[status as RunStatus] = Number(total);
    return counts;
  }

  /** Reads a run's nodes by key. An index of waiting nodes would cost every node. */
  async waiting(limit: number): Promise<string[]> {
    const rows = await this.#database.rows(
      `SELECT one FROM (SELECT id AS one FROM svc.graph WHERE status = 'running' ORDER BY id LIMIT ${MAX_LOOKED}) AS running
       WHERE EXISTS (SELECT 1 FROM svc.node WHERE graph_id = one AND kind = 'wait' AND status = 'waiting') ORDER BY one LIMIT $1`,
      limit,
    );
    return rows.map((row) => String(row["one"]));
  }

  async workers(): Promise<string[]> {
    const rows = await this.#database.rows(
      "SELECT worker FROM svc.graph_total GROUP BY worker HAVING sum(total) > 0 ORDER BY worker",
    );
    return rows.map((row) => String(row["worker"]));
  }

  /** The newest matches. */
  async #find(query: GraphQuery, walk: Walk): Promise<{ ids: string[]; resumeAt: string | undefined }> {
    const few = await this.#few(query);
    return few ? { ids: few, resumeAt: undefined } : this.#walked(query, walk, MAX_LOOKED);
  }

  /** @returns ids of matches, and the id after which the next page begins; none for the last page. */
  async #walked(
    query: GraphQuery,
    walk: Walk,
    limit: number,
    cursor?: string,
  ): Promise<{ ids: string[]; resumeAt: string | undefined }> {
    const range = idRange(query, cursor);
    const { to } = range;
    const from = await this.#floor(walk, range);
    const size = walk.isPartial ? MAX_LOOKED : limit + 1;
    const candidates = await this.#candidates(walk, from, to, size);
    const found = walk.isPartial ? await this.#matching(query, candidates) : candidates;
    if (found.length > limit) return { ids: found.slice(0, limit), resumeAt: found[limit - 1] };
    if (candidates.length < size) return { ids: found, resumeAt: from === range.from ? undefined : from };
    return { ids: found, resumeAt: candidates.at(-1) };
  }

  /** Ids of all matches, newest first, if the query has attributes and a condition selects at most `MAX_LOOKED` runs. */
  async #few(query: GraphQuery): Promise<string[] | undefined> {
    if (!hasAttributes(query)) return undefined;
    const range = idRange(query);
    const found = await Promise.all(selectionsOf(query).map((one) => this.#selected(one, range, MAX_LOOKED + 1)));
    const [fewest] = found.filter((ids) => ids.length <= MAX_LOOKED).toSorted((a, b) => a.length - b.length);
    return fewest && (await this.#matching(query, fewest)).sort().reverse();
  }

  /** Ids in any order, at most `limit`. */
  async #selected(
    { sources, id, values, isUnordered }: Selection,
    { from, to }: { from: string; to: string },
    limit: number,
  ): Promise<string[]> {
    if (sources.length === 0) return [];
    // Each statement has the same first values, so that all of them share their numbers.
    const inRange = isUnordered ? "$1::text <= $2::text" : `${id} >= $1 AND ${id} < $2`;
    // In the order of the index. Otherwise the planner would scan the table for a value that many runs have.
    const order = isUnordered ? "" : `ORDER BY ${id} `;
    const each = sources.map((table) => `(SELECT ${id} AS id FROM ${table} AND ${inRange} ${order}LIMIT $3)`);
    const text = `SELECT id FROM (${each.join(" UNION ALL ")}) AS found LIMIT $3`;
    const rows = await this.#database.rows(text, clean(from), clean(to), limit, ...values.map(clean));
    return rows.map((row) => String(row["id"]));
  }

  /** The lowest id to read. */
  async #floor({ sources, values, compared }: Walk, { from, to }: { from: string; to: string }): Promise<string> {
    if (!compared || sources.length === 0) return from;
    const each = sources.map(
      ({ from: table, id }) =>
        `(SELECT ${id} AS id FROM ${table} AND ${id} >= $1 AND ${id} < $2 ORDER BY ${id} DESC LIMIT 1 OFFSET $3)`,
    );
    const text = `SELECT max(id) AS id FROM (${each.join(" UNION ALL ")}) AS floors`;
    const row = await this.#database.row(text, clean(from), clean(to), MAX_COMPARED - 1, ...values);
    return String(row?.["id"] ?? from);
  }

  /** The newest of all sources. */
  async #candidates({ sources, values, compared }: Walk, from: string, to: string, limit: number): Promise<string[]> {
    if (sources.length === 0) return [];
    const each = sources.map(
      ({ from: table, id }) =>
        `(SELECT ${id} AS id FROM ${table}${compared?.text ?? ""} AND ${id} >= $1 AND ${id} < $2 ORDER BY ${id} DESC LIMIT $3)`,
    );
    const text = `SELECT id FROM (${each.join(" UNION ALL ")}) AS found ORDER BY id DESC LIMIT $3`;
    const given = [...values, ...(compared?.values ?? [])];
    const rows = await this.#database.rows(text, clean(from), clean(to), limit, ...given);
    return rows.map((row) => String(row["id"]));
  }

  async #matching(query: GraphQuery, ids: readonly string[]): Promise<string[]> {
    const heads = await this.#heads(ids);
    const fitting = new Set(heads.filter((head) => matches(query, head)).map(({ id }) => id));
    return ids.filter((id) => fitting.has(id));
  }

  async #newest(ids: readonly string[]): Promise<GraphHead[]> {
    return (await this.#heads(ids)).sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  async #heads(ids: readonly string[]): Promise<GraphHead[]> {
    const text = `SELECT ${HEAD_COLUMNS} FROM svc.graph WHERE id = ANY ($1::text[])`;
    return (await this.#database.rows(text, ids)).map(toHead);
  }

  async tagCounts(query: GraphQuery): Promise<TagCounts> {
    const { ids, resumeAt } = await this.#find(query, walkOf(query));
    return tagCountsOf(await this.#heads(ids), resumeAt === undefined);
  }

  async durations(query: GraphQuery, nowMs: number): Promise<Durations> {
    const walk = walkOf(query);
    const { sources, values, compared } = walk;
    if (walk.isPartial || !walk.hasTimes) {
      const { ids, resumeAt } = await this.#find(query, walk);
      const text = `SELECT coalesce(finished_ms, $2) - started_ms AS ms FROM svc.graph
        WHERE id = ANY ($1::text[]) AND started_ms IS NOT NULL ORDER BY id DESC`;
      const rows = await this.#database.rows(text, ids, nowMs);
      return newestDurations(query, msOf(rows), resumeAt === undefined);
    }
    if (sources.length === 0) return { durationsMs: [], isAll: true };
    const { from, to } = idRange(query);
    const given = [...values, ...(compared?.values ?? [])];
    const now = `$${given.length + FIRST_VALUE}::bigint`;
    const each = sources.map(
      ({ from: table, id }) =>
        `(SELECT ${id} AS id, coalesce(finished_ms, ${now}) - started_ms AS ms FROM ${table}${compared?.text ?? ""} AND started_ms IS NOT NULL
          AND ${id} >= $1 AND ${id} < $2 ORDER BY ${id} DESC LIMIT $3)`,
    );
    const text = `SELECT ms FROM (${each.join(" UNION ALL ")}) AS found ORDER BY id DESC LIMIT $3`;
    const rows = await this.#database.rows(text, clean(from), clean(to), durationsLimit(query) + 1, ...given, nowMs);
    return newestDurations(query, msOf(rows));
  }

  async #total(query: GraphQuery, walk: Walk): Promise<number> {
    if (isPlain(query)) return this.#exactTotal(query);
    if (walk.isPartial) return Math.min(MAX_TOTAL, (await this.#walked(query, walk, MAX_LOOKED)).ids.length);
    const range = idRange(query);
    const from = await this.#floor(walk, range);
    return (await this.#candidates(walk, from, range.to, MAX_TOTAL)).length;
  }

  async #exactTotal({ worker, status }: GraphQuery): Promise<number> {
    const text =
      "SELECT coalesce(sum(total), 0) AS total FROM svc.graph_total WHERE ($1::text IS NULL OR worker = $1) AND ($2::text IS NULL OR status = $2)";
    return Number((await this.#database.row(text, clean(worker ?? null), status ?? null))?.["total"]);
  }
}

function msOf(rows: readonly Row[]): number[] {
  return rows.map(({ ms }) => Number(ms));
}

function walkOf(query: GraphQuery): Walk {
  const { worker, tag, parent } = query;
  const hasText = isLookedFor(query);
  const times = timesAsked(query);
  if (parent !== undefined) {
    const isPartial =
      hasText || hasAttributes(query) || [worker, query.status, tag, times].some((value) => value !== undefined);
    const sources = [{ from: CHILDREN, id: "id" }];
    return { sources, values: [clean(parent)], isPartial, compared: undefined, hasTimes: false };
  }
  if (hasAttributes(query)) return attributeWalk(query);
  const hasTimes = tag === undefined;
  const isPartial = hasText || (!hasTimes && (worker !== undefined || times !== undefined));
  const asked = tag ?? worker;
  const values = asked === undefined ? [] : [clean(asked)];
  const compared = isPartial || !times ? undefined : timesCondition(times, FIRST_VALUE + values.length);
  const sources = statusesOf(query).map((status) => {
    if (tag !== undefined) return { from: withTag(status), id: "graph_id" };
    return { from: worker === undefined ? withStatus(status) : ofWorker(status), id: "id" };
  });
  return { sources, values, isPartial, compared, hasTimes };
}

/** Walks the runs with one attribute, newest first, if it has a value; or compares its value during the walk. */
function attributeWalk(query: GraphQuery): Walk {
  const conditions = attributeConditions(query.attributes);
  const condition = conditions.find(({ isExact }) => isExact) ?? (conditions[0] as AttributeCondition);
  const table = condition.isExact ? withValue : withName;
  const sources = statusesOf(query).map((status) => ({ from: table(status), id: "graph_id" }));
  const values = [condition.name, ...(condition.isExact ? [clean(condition.from)] : [])];
  const compared = condition.isExact
    ? undefined
    : // An expression, because an index on the value would read the runs in another order.
      { text: " AND (value || '') >= $5 AND (value || '') < $6", values: [condition.from, condition.below] };
  return { sources, values, isPartial: true, compared, hasTimes: false };
}

/** The conditions of a query that an index answers. */
function selectionsOf(query: GraphQuery): Selection[] {
  const { worker, tag, parent, sinceMs, idPrefix, attributes } = query;
  const statuses = statusesOf(query);
  const of = (table: (status: RunStatus) => string, id: string, ...values: string[]): Selection => ({
    sources: statuses.map(table),
    id,
    values,
  });
  return [
    ...attributeConditions(attributes).map((condition): Selection =>
      condition.isExact
        ? of(withValue, "graph_id", condition.name, condition.from)
        : { ...of(withRange, "graph_id", condition.name, condition.from, condition.below), isUnordered: true },
    ),
    ...(tag === undefined ? [] : [of(withTag, "graph_id", tag)]),
    ...(parent === undefined ? [] : [{ sources: [CHILDREN], id: "id", values: [parent] }]),
    ...(worker === undefined ? [] : [of(ofWorker, "id", worker)]),
    ...(statuses.length === RUN_STATUSES.length ? [] : [of(withStatus, "id")]),
    ...(sinceMs === undefined && idPrefix === undefined ? [] : [{ sources: [ANY_RUN], id: "id", values: [] }]),
  ];
}

// Statuses are svc's own words.
const ANY_RUN = "svc.graph WHERE true";
const CHILDREN = "svc.graph WHERE parent_graph = $4";
const withTag = (status: RunStatus): string => `svc.graph_tag WHERE tag = $4 AND status = '${status}'`;
const ofWorker = (status: RunStatus): string => `svc.graph WHERE worker = $4 AND status = '${status}'`;
const withStatus = (status: RunStatus): string => `svc.graph WHERE status = '${status}'`;
const withName = (status: RunStatus): string => `svc.graph_attribute WHERE name = $4 AND status = '${status}'`;
const withValue = (status: RunStatus): string => `${withName(status)} AND value = $5`;
const withRange = (status: RunStatus): string => `${withName(status)} AND value >= $5 AND value < $6`;

/** @param at number of its first value. Values, not text, so that all times share a statement. */
function timesCondition(asked: TimesAsked, at: number): NonNullable<Walk["compared"]> {
  const { longerMs, shorterMs, finishedSinceMs, finishedUntilMs, nowMs } = asked;
  const values: number[] = [];
  const value = (ms: number): string => `$${at + values.push(ms) - 1}::bigint`;
  const length = (sign: string, ms: number | undefined): string =>
    ms === undefined ? "" : ` AND coalesce(finished_ms, ${value(nowMs)}) - started_ms ${sign} ${value(ms)}`;
  const end = (sign: string, ms: number | undefined): string =>
    ms === undefined ? "" : ` AND finished_ms ${sign} ${value(ms)}`;
  const text =
    length(">=", longerMs) + length("<", shorterMs) + end(">=", finishedSinceMs) + end("<=", finishedUntilMs);
  return { text, values };
}
