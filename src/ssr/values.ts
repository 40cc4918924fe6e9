/** The values a page's scopes capture: each object once, whoever captures it. docs/resume-protocol.md section 3. */
import { isComputed, isSignal } from "../reactivity/signal.ts";
import { isStore } from "../reactivity/server-store.ts";
import { SvcError } from "../shared/errors.ts";
import type { Json } from "../shared/json.ts";
import { isPlainJson, serialize, SerializeError } from "../shared/serialize.ts";

const VALUE_KINDS = { signal: 0, plain: 1, store: 2, encoded: 4, encodedSignal: 5, encodedStore: 6 } as const;

interface Entry {
  kind: number;
  /** Read at the end, so that what was set while rendering is what the browser gets. */
  read: () => unknown;
  scopes: Set<number>;
  where: string;
}

export class ValueTable {
  readonly #entries: Entry[] = [];
  readonly #indices = new Map<unknown, number>();

  /** @param scopeId when its bindings read the value. @param where for errors. @returns the value's index. */
  add(value: unknown, scopeId: number | undefined, where: string): number {
    let index = this.#indices.get(value);
    if (index === undefined) {
      index = this.#entries.push(entryOf(value, where)) - 1;
      // Primitives are told apart by value, which is as good: nothing can change them.
      this.#indices.set(value, index);
    }
    if (scopeId !== undefined) this.#entries[index]?.scopes.add(scopeId);
    return index;
  }

  /** Parts of the runtime that this value needs. */
  parts(index: number): string[] {
    const entry = this.#entries[index];
    if (!entry) return [];
    const parts = entry.kind === VALUE_KINDS.store ? ["store"] : [];
    if (!isPlainJson(entry.read())) parts.push("data");
    return parts;
  }

  /** For each value the scopes whose bindings read it. */
  readers(): ReadonlySet<number>[] {
    return this.#entries.map((entry) => entry.scopes);
  }

  /** `[kind, value, scopes?]` for each value. @throws SvcError `SVC201` */
  toJson(): Json[] {
    return this.#entries.map(({ kind, read, scopes, where }) => {
      const value = read();
      const isPlain = isPlainJson(value);
      const encodedKind =
        kind === VALUE_KINDS.plain
          ? VALUE_KINDS.encoded
          : kind === VALUE_KINDS.signal
            ? VALUE_KINDS.encodedSignal
            : VALUE_KINDS.encodedStore;
      const row: Json[] = isPlain ? [kind, value] : [encodedKind, encode(value, where)];
      // Plain values and functions of them never change; only signals and stores wake scopes.
      if (scopes.size > 0 && kind !== VALUE_KINDS.plain) row.push([...scopes]);
      return row;
    });
  }
}

function entryOf(value: unknown, where: string): Entry {
  const scopes = new Set<number>();
  if (isComputed(value)) throw cannotTravel(where, "It is a computed; pass the signals that it reads, or its value");
  if (isSignal(value)) return { kind: VALUE_KINDS.signal, read: () => value.value, scopes, where };
  return { kind: isStore(value) ? VALUE_KINDS.store : VALUE_KINDS.plain, read: () => value, scopes, where };
}

function encode(value: unknown, where: string): Json {
  try {
    return serialize(value);
  } catch (error) {
    if (error instanceof SerializeError) throw cannotTravel(where, error.message);
    throw error;
  }
}

function cannotTravel(where: string, why: string): SvcError {
  return new SvcError("SVC201", `A value captured by browser code can't travel (${where}). ${why}.`);
}
