/** Step 4, browser code: emits bindings of ranges, which are rows and branches that may contain components (client/bindings/create.ts). */
import { returnsOf, isJsx, unwrap, type Node } from "../parse/ast.ts";
import { PATHS } from "../../../platform/shared/wire.ts";
import type { Module } from "../analyze/analyze.ts";
import type { Captures, Place } from "../extract/captures.ts";
import { readCode, takenReads } from "../extract/taken-reads.ts";
import type { Code, Insert, Item, List } from "../model.ts";
import type { ClientModule } from "./client-module.ts";
import type { ViewEmitter } from "./emit-views.ts";

export class RangeEmitter {
  readonly #module: Module;
  readonly #client: ClientModule;
  readonly #captures: Captures;
  readonly #views: ViewEmitter;
  #names = 0;

  constructor(module: Module, client: ClientModule, captures: Captures, views: ViewEmitter) {
    this.#module = module;
    this.#client = client;
    this.#captures = captures;
    this.#views = views;
  }

  /**
   * What a branch shows: the name of a view, or an expression. A view is declared once, so that it stays the same while the condition that
   * shows it has the same result.
   */
  content(node: Node, place: Place, body: Code): string | Node {
    if (!isJsx(node)) return node;
    const name = `${this.#client.names.prefix}v${this.#names++}`;
    body.push(`const ${name} = ${this.#views.view(node, place)};\n`);
    return name;
  }

  /** A component. In a view it is created once, in place of its comment. */
  component({ node, key }: Extract<Item, { kind: "component" }>, path: string, place: Place, body: Code): void {
    if (key === undefined) return;
    if (!place.isCreated) return this.follow(this.at(key, path, place), place, [this.content(node, place, body)], body);
    const put = this.#client.createPart("Put", place.scope);
    body.push(`${put}(${path}, ${key}, ${this.#views.view(node, place)});\n`);
  }

  /** An expression in a view: usually a text. */
  insert({ expression, isSole, key }: Insert, path: string, place: Place, body: Code): void {
    const part = (name: string): string => this.#client.createPart(name, place.scope);
    this.#captures.capture(expression, { ...place, isCreated: true });
    const text = isSole ? `${path}.firstChild` : `${part("O")}(${path}, ${key})`;
    body.push(`${part("I")}(${text}, () => (`, expression, "));\n");
  }

  /** Code of the range before a key. */
  at(key: number | string, path: string, { scope }: Place): string {
    return `${this.#client.createPart("G", scope)}(${path}, ${JSON.stringify(key)})`;
  }

  /** Keeps a range equal to the value of `code`. */
  follow(range: string, place: Place, code: Code, body: Code): void {
    for (const item of code) if (typeof item !== "string") this.#captures.capture(item, { ...place, isCreated: true });
    body.push(`${this.#client.createPart("I", place.scope)}(${range}, () => (`, ...code, "));\n");
  }

  /** A list whose rows are ranges. @param by code of the key function, whose nodes are inside the row's JSX */
  rows(list: List, path: string, place: Place, { each, by }: { each: Code; by: Code }, body: Code): void {
    const { slots, root } = this.#client.names;
    const part = (name: string): string => this.#client.createPart(name, place.scope);
    const { row } = list;
    const content = row.body?.type === "BlockStatement" ? row.body : returnsOf(row)[0];
    if (!content) return;
    const key = this.#views.text(by, place.scope);
    const isBlock = content.type === "BlockStatement";
    const isFixed = !isBlock && isJsx(unwrap(content));
    const takes = takenReads(this.#module, row);
    const inner: Place = { ...place, level: list.level + 1, isBinding: !isFixed, isCreated: true, takes };
    this.#captures.capture(content, inner);
    // A component keeps its copy of the props in a spread, so the row is made anew.
    const spreads = takes
      .filter(({ isSpread }) => isSpread)
      .map((read) => `${readCode(read, this.#captures.rowName(read.binding, inner))}, `);
    const value: Code = isBlock ? ["(() => ", content, ")()"] : [`(${spreads.join("")}`, content, ")"];
    const range = `${part("Rows")}(${path}, ${JSON.stringify(list.key)})`;
    const open = `${this.#client.part("region", "For", place.scope)}(${range}, 0, `;
    const raw = place.scope.parts.has("store") ? this.#client.runtime(PATHS.store, "raw") : "0";
    // Rows of the server are bound when their item changes. Others also take values of it, or choose what they show.
    const isEager = !isFixed || takes.length > 0;
    const bind = `, ${key}, ${part("N")}, (${slots}, ${root}) => ${part(isFixed && spreads.length === 0 ? "W" : "I")}(${root}, () => `;
    body.push(open, ...each, bind, ...value, `, ${slots}), ${slots}, ${raw}${isEager ? ", 1" : ""});\n`);
  }
}
