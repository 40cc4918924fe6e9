/** What the browser is told of a page's scopes and values, at first and as pieces follow (docs/resume-protocol.md section 3). */
import type { Json } from "../../../platform/shared/json.ts";
import { isMadeOf } from "../../../platform/shared/flatten-string.ts";
import { quoted, type PageScopes, type ScopeEntry } from "./scopes.ts";
import type { ValueNames } from "./value-names.ts";
import type { ValueTable } from "./values.ts";

/** How far the browser knows the page. */
interface SentState {
  scopes: number;
  values: number;
  needs: Record<string, string[]>;
}

/** What a late piece adds to the state. `u`: resources that are there by now. */
export interface MoreState {
  s: Record<string, ScopeEntry>;
  v: Json[];
  r: Record<string, number[]>;
  n: Record<string, string[]>;
  u: Record<string, Json[]>;
}

/** Text that stands in JSON as it is, such as every token of ours. */
const PLAIN = /^[\w-]*$/;

export class PageState {
  readonly #scopes: PageScopes;
  readonly #values: ValueTable;
  readonly #names: ValueNames | undefined;
  /** Undefined before the first state script. */
  #reported: SentState | undefined;

  /** @param names given in development only */
  constructor(scopes: PageScopes, values: ValueTable, names: ValueNames | undefined) {
    this.#scopes = scopes;
    this.#values = values;
    this.#names = names;
  }

  /**
   * The state script's content as JSON, put together by hand but for the values: an object with numbers for names is what
   * `JSON.stringify` takes longest for. @throws SvcError `SVC201`
   */
  first(csrfToken: string, build: string): string {
    const v = JSON.stringify(this.#values.toJson(0));
    const needs = this.#report();
    // Few pages have any.
    const n = Object.keys(needs).length === 0 ? "{}" : JSON.stringify(needs);
    const d = this.#names ? `,"d":${JSON.stringify(this.#values.names(this.#names))}` : "";
    const token = isMadeOf(PLAIN, csrfToken) ? `"${csrfToken}"` : JSON.stringify(csrfToken);
    const head = `{"csrf_token":${token},"build":${quoted(build)}`;
    return `${head},"s":{${this.#scopes.allAsText()}},"v":${v},"n":${n}${d}}`;
  }

  /** What came since the last state: new scopes, values, readers of older values, needs. @throws SvcError `SVC201` */
  more(): MoreState | undefined {
    const { scopes = 0, values = 0, needs = {} } = this.#reported ?? {};
    const u = this.#values.newlySettled();
    if (this.#scopes.size === scopes && Object.keys(u).length === 0) return undefined;
    const v = this.#values.toJson(values);
    const isNews = ([id, names]: [string, string[]]): boolean => names.length !== needs[id]?.length;
    const n = Object.fromEntries(Object.entries(this.#report()).filter(isNews));
    const state = { s: this.#scopes.after(scopes), v, r: this.#values.newReaders(values, scopes), u, n };
    return this.#names ? Object.assign(state, { d: this.#values.names(this.#names).slice(values) }) : state;
  }

  /** @returns all needs, not only the new ones */
  #report(): Record<string, string[]> {
    const needs = this.#scopes.needs();
    this.#reported = { scopes: this.#scopes.size, values: this.#values.size, needs };
    return needs;
  }
}
