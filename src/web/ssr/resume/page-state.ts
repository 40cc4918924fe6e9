/** Writes the state of a page's scopes and values: the state script, and the additions of deferred content (docs/resume-protocol.md section 3). */
import type { Json } from "../../../platform/shared/json.ts";
import { isMadeOf } from "../../../platform/shared/collections/flatten-string.ts";
import { quoted, type PageScopes, type ScopeEntry } from "./scopes.ts";
import type { ValueNames } from "./value-names.ts";
import type { ValueTable } from "./values.ts";

/** The state already sent to the browser. */
interface SentState {
  scopes: number;
  values: number;
  needs: Record<string, string[]>;
}

/** The state that deferred content adds. `u`: resources settled since the last state. */
export interface MoreState {
  s: Record<string, ScopeEntry>;
  v: Json[];
  r: Record<string, number[]>;
  n: Record<string, string[]>;
  u: Record<string, Json[]>;
}

/** Text that JSON does not escape. All tokens of svc match. */
const PLAIN = /^[\w-]*$/;

export class PageState {
  readonly #scopes: PageScopes;
  readonly #values: ValueTable;
  readonly #names: ValueNames | undefined;
  /** Undefined before the first state script. */
  #reported: SentState | undefined;

  /** @param names in development only */
  constructor(scopes: PageScopes, values: ValueTable, names: ValueNames | undefined) {
    this.#scopes = scopes;
    this.#values = values;
    this.#names = names;
  }

  /**
   * The state script's content as JSON. Everything but the values is concatenated by hand, because `JSON.stringify` is slowest
   * for objects with numeric keys. @throws SvcError `SVC201`
   */
  first(csrfToken: string, build: string): string {
    const v = JSON.stringify(this.#values.toJson(0, this.#scopes));
    const needs = this.#report();
    // Usually empty.
    const n = Object.keys(needs).length === 0 ? "{}" : JSON.stringify(needs);
    const d = this.#names ? `,"d":${JSON.stringify(this.#values.names(this.#names))}` : "";
    const token = isMadeOf(PLAIN, csrfToken) ? `"${csrfToken}"` : JSON.stringify(csrfToken);
    const head = `{"csrf_token":${token},"build":${quoted(build)}`;
    return `${head},"s":{${this.#scopes.allAsText()}},"v":${v},"n":${n}${d}}`;
  }

  /** Additions since the last state: scopes, values, readers of older values, module preloads. @throws SvcError `SVC201` */
  more(): MoreState | undefined {
    const { scopes = 0, values = 0, needs = {} } = this.#reported ?? {};
    const u = this.#values.newlySettled();
    if (this.#scopes.size === scopes && Object.keys(u).length === 0) return undefined;
    const v = this.#values.toJson(values, this.#scopes);
    const isNews = ([id, names]: [string, string[]]): boolean => names.length !== needs[id]?.length;
    const n = Object.fromEntries(Object.entries(this.#report()).filter(isNews));
    const state = { s: this.#scopes.after(scopes), v, r: this.#values.newReaders(values, scopes), u, n };
    return this.#names ? Object.assign(state, { d: this.#values.names(this.#names).slice(values) }) : state;
  }

  /** Records the current state as sent. @returns all module preloads, not only the new ones */
  #report(): Record<string, string[]> {
    const needs = this.#scopes.needs();
    this.#reported = { scopes: this.#scopes.size, values: this.#values.size, needs };
    return needs;
  }
}
