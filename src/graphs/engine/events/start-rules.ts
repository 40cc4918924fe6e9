/** Decides what an event does in a graph with a rule for its starts: joins a group, starts a run now or later, or nothing. Pure. */
import { durationMs } from "../../../platform/shared/clock.ts";
import type { GroupChange, GroupedEvent, StartGroupRow } from "../../../storage/contract/start-groups.ts";
import type { BatchEvents, Debounce, RateLimit, StartRules, Throttle } from "../../definition/start-rule-types.ts";

export interface RuleInput {
  graph: string;
  key: string;
  event: GroupedEvent;
  nowMs: number;
  /** Limit for the input of a run, in bytes of JSON. */
  inputBytes: number;
}

/** @param open the open group of the key. @returns rows to insert or replace. */
export function decideStart(rules: StartRules, input: RuleInput, open: StartGroupRow | undefined): GroupChange {
  if (rules.debounce) return debounced(rules.debounce, input, open);
  if (rules.batchEvents) return batched(rules.batchEvents, input, open);
  if (rules.throttle) return throttled(rules.throttle, input, open);
  return rules.rateLimit ? limited(rules.rateLimit, input, open) : [startOf(input, input.nowMs)];
}

/** `count` is the time of the first event. */
function debounced({ period, timeout }: Debounce, input: RuleInput, open: StartGroupRow | undefined): GroupChange {
  const { event, nowMs } = input;
  const row = open ?? { ...startOf(input, 0), isOpen: true, count: nowMs };
  // Another process may have sent it earlier than the one that is already here.
  const last = row.events.at(-1) ?? event;
  const lastMs = timeout === undefined ? Infinity : row.count + durationMs(timeout);
  const dueMs = Math.min(Math.max(nowMs + durationMs(period), row.dueMs), lastMs);
  return [{ ...row, dueMs, events: [event.sentMs >= last.sentMs ? event : last] }];
}

function batched({ maxSize, timeout }: BatchEvents, input: RuleInput, open: StartGroupRow | undefined): GroupChange {
  const { event, nowMs, inputBytes } = input;
  const isTooLong = open !== undefined && bytesOf([...open.events, event]) > inputBytes;
  const row =
    open && !isTooLong
      ? { ...open, events: [...open.events, event] }
      : { ...startOf(input, nowMs + durationMs(timeout)), isOpen: true, isList: true };
  const added = row.events.length >= maxSize ? { ...row, isOpen: false, dueMs: nowMs } : row;
  return open && isTooLong ? [{ ...open, isOpen: false, dueMs: nowMs }, added] : [added];
}

function bytesOf(events: readonly GroupedEvent[]): number {
  return Buffer.byteLength(JSON.stringify(events.map(({ data }) => data)));
}

/**
 * The generic cell rate algorithm. `count` is the time at which the key has its whole burst again; then the row is deleted, since it is as
 * good as none.
 * @returns the row that counts the start, and the time of the start.
 */
export function throttledStart(
  { limit, period, burst = 1 }: Throttle,
  input: RuleInput,
  open: StartGroupRow | undefined,
): { counter: StartGroupRow; startMs: number } {
  const { nowMs } = input;
  const gapMs = durationMs(period) / limit;
  const fullMs = Math.max(open?.count ?? nowMs, nowMs) + gapMs;
  const startMs = Math.max(nowMs, Math.ceil(fullMs - gapMs * (limit + burst)));
  return { counter: counter(input, open, Math.ceil(fullMs), fullMs), startMs };
}

function throttled(rule: Throttle, input: RuleInput, open: StartGroupRow | undefined): GroupChange {
  const { counter: row, startMs } = throttledStart(rule, input, open);
  return [row, startOf(input, startMs)];
}

/** `count` is the number of starts in the period. */
function limited({ limit, period }: RateLimit, input: RuleInput, open: StartGroupRow | undefined): GroupChange {
  const { nowMs } = input;
  const current = open && open.dueMs > nowMs ? open : undefined;
  const count = (current?.count ?? 0) + 1;
  if (count > limit) return [];
  return [counter(input, open, current?.dueMs ?? nowMs + durationMs(period), count), startOf(input, nowMs)];
}

/** A row that only counts. */
function counter(input: RuleInput, open: StartGroupRow | undefined, dueMs: number, count: number): StartGroupRow {
  const row = open ?? { ...startOf(input, 0), generation: `${input.event.id} counter`, isOpen: true, events: [] };
  return { ...row, dueMs, count };
}

/** A run to start with this event, not before `dueMs`. */
function startOf({ graph, key, event }: RuleInput, dueMs: number): StartGroupRow {
  return { graph, key, generation: event.id, isOpen: false, dueMs, events: [event], isList: false, count: 0 };
}
