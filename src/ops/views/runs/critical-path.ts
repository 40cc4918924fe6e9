/**
 * The critical path of an ended run: the chain of nodes that determined its end, each of which waited for the previous one. Only shortening
 * one of these nodes would have shortened the run. Pure.
 */
import { durationText } from "../format.ts";

/** From when a node became ready until it ended. */
export interface Stretch {
  fromMs: number;
  toMs: number;
}

export interface PathNode {
  /** For a fan-out, the item that ended last: `pick/11`. */
  id: string;
  /** The time it added after the end of the previous node; for the first node, its whole duration. */
  addedMs: number;
}

/** A node of the definition, including its items and steps. */
interface Outer extends Stretch {
  name: string;
  /** The part of it that ended last. */
  last: string;
}

/**
 * @param edges pairs `[from, to]` of the definition @param stretches of all started nodes, including items of fan-outs @returns first to
 * last; empty without edges, or if only one node has started
 */
export function criticalPath(
  edges: readonly (readonly [string, string])[],
  stretches: ReadonlyMap<string, Stretch>,
): PathNode[] {
  const outers = outersOf(stretches);
  if (edges.length === 0 || outers.size < 2) return [];
  const before = beforeOf(edges);
  const chain: Outer[] = [];
  const passed = new Set<string>();
  let next = latest([...outers.values()], before);
  while (next && !passed.has(next.name)) {
    chain.unshift(next);
    passed.add(next.name);
    next = latest(begunBefore(next.name, before, outers), before);
  }
  return chain.map(({ last, fromMs, toMs }, at) => ({
    id: last,
    addedMs: Math.max(0, toMs - (chain[at - 1]?.toMs ?? fromMs)),
  }));
}

/** `reserve 12 ms, then pick/11 1.24 s`. */
export function pathText(path: readonly PathNode[]): string {
  return path.map(({ id, addedMs }) => `${id} ${durationText(addedMs)}`).join(", then ");
}

/** `pick` of `pick/11`, `parse` of `parse#fetch`. */
export function outerName(id: string): string {
  return id.replace(/#.*$/s, "").replace(/\/\d+$/, "");
}

function outersOf(stretches: ReadonlyMap<string, Stretch>): Map<string, Outer> {
  const outers = new Map<string, Outer>();
  for (const [id, { fromMs, toMs }] of stretches) {
    const name = outerName(id);
    const own = id.replace(/#.*$/s, "");
    const known = outers.get(name);
    if (!known) outers.set(name, { name, last: own, fromMs, toMs });
    else {
      // The fan-out node ends together with its last item. The item is more specific.
      if (toMs > known.toMs || (toMs === known.toMs && known.last === name)) known.last = own;
      known.toMs = Math.max(known.toMs, toMs);
      known.fromMs = Math.min(known.fromMs, fromMs);
    }
  }
  return outers;
}

function beforeOf(edges: readonly (readonly [string, string])[]): Map<string, string[]> {
  const before = new Map<string, string[]>();
  for (const [from, to] of edges) before.set(to, [...(before.get(to) ?? []), from]);
  return before;
}

/** The nodes that a node waited for. A skipped one is replaced by its own predecessors. */
function begunBefore(name: string, before: ReadonlyMap<string, string[]>, outers: ReadonlyMap<string, Outer>): Outer[] {
  const found: Outer[] = [];
  const seen = new Set<string>();
  const left = [...(before.get(name) ?? [])];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    const outer = outers.get(one);
    if (outer) found.push(outer);
    else left.push(...(before.get(one) ?? []));
  }
  return found;
}

/** The node that ended last; for a tie, the one that depends on the other. */
function latest(outers: readonly Outer[], before: ReadonlyMap<string, string[]>): Outer | undefined {
  let found: Outer | undefined;
  for (const one of outers) {
    if (!found || one.toMs > found.toMs || (one.toMs === found.toMs && isAfter(one, found, before))) found = one;
  }
  return found;
}

function isAfter(one: Outer, other: Outer, before: ReadonlyMap<string, string[]>): boolean {
  const seen = new Set<string>();
  const left = [...(before.get(one.name) ?? [])];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === other.name) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    left.push(...(before.get(name) ?? []));
  }
  return false;
}
