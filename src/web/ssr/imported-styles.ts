/** The stylesheets of a page that its modules import. A page without any costs no work. */
import type { ImportedStyles } from "../../platform/shared/manifest.ts";

const NONE: readonly never[] = [];

/** The first links of a page by its modules: the same list each time, so that the document's links are written once. */
const known = new WeakMap<ImportedStyles, Map<string, readonly string[]>>();
/** More combinations of modules than a site has. Others only cost their assembly. */
const MAX_KNOWN = 1000;

export class PageStyles {
  readonly #styles: ImportedStyles | undefined;
  readonly #modules = new Set<string>();
  #sent: Set<number> | undefined;

  constructor(styles: ImportedStyles | undefined) {
    this.#styles = styles;
  }

  /** Adds the stylesheets of a module. @param module path of a module whose component is part of the page */
  use(module: string): void {
    if (this.#styles) this.#modules.add(module);
  }

  /** Stylesheets of the page so far, in the app's order. */
  get all(): readonly string[] {
    const styles = this.#styles;
    if (!styles) return NONE;
    const key = [...this.#modules].sort().join("\n");
    let lists = known.get(styles);
    if (!lists) known.set(styles, (lists = new Map()));
    const before = lists.get(key);
    if (before) return before;
    const list = [...this.#indexes(styles)].sort(ascending).map((at) => styles.files[at] ?? "");
    if (lists.size >= MAX_KNOWN) lists.clear();
    lists.set(key, list);
    return list;
  }

  /** Stylesheets added since the last call. */
  added(): readonly string[] {
    const styles = this.#styles;
    if (!styles) return NONE;
    const indexes = this.#indexes(styles);
    const sent = this.#sent;
    this.#sent = indexes;
    if (!sent) return this.all;
    return [...indexes]
      .filter((at) => !sent.has(at))
      .sort(ascending)
      .map((at) => styles.files[at] ?? "");
  }

  #indexes({ always, modules }: ImportedStyles): Set<number> {
    return new Set([...always, ...[...this.#modules].flatMap((module) => modules[module] ?? [])]);
  }
}

const ascending = (one: number, other: number): number => one - other;
