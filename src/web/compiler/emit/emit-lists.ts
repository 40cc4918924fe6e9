/** Step 4, browser code: emits bindings of lists, whose rows the browser creates and moves. */
import { PATHS } from "../../../platform/shared/wire.ts";
import { isInside, mayHoldSignals, type Module } from "../analyze/analyze.ts";
import type { Captures, Place } from "../extract/captures.ts";
import { mayListStores } from "../analyze/store-items.ts";
import { keyExpression, readsOutside } from "../extract/row-identity.ts";
import { diagnostic } from "../diagnostics.ts";
import type { Code, List, Scope } from "../model.ts";
import { unwrap, walk, type Node } from "../parse/ast.ts";
import type { Binding, Reference } from "../parse/scopes.ts";
import type { ClientModule } from "./client-module.ts";
import type { RangeEmitter } from "./emit-ranges.ts";
import { thunk } from "./emit-thunks.ts";
import type { ElementEmitter } from "./emit-views.ts";

export class ListEmitter {
  readonly #module: Module;
  readonly #client: ClientModule;
  readonly #captures: Captures;
  readonly #ranges: RangeEmitter;
  readonly #elements: ElementEmitter;

  constructor(
    module: Module,
    client: ClientModule,
    captures: Captures,
    ranges: RangeEmitter,
    elements: ElementEmitter,
  ) {
    this.#module = module;
    this.#client = client;
    this.#captures = captures;
    this.#ranges = ranges;
    this.#elements = elements;
  }

  bind(list: List, path: string, place: Place, body: Code): void {
    const { element } = list;
    const { slots } = this.#client.names;
    const each = this.#each(list, place);
    const by = this.#rowKey(list, place);
    if (!element) return this.#ranges.rows(list, path, place, { each, by }, body);
    const { make, bind } = this.#elements.content(element, { ...place, level: list.level + 1 });
    const { virtual } = list;
    const write = virtual
      ? this.#client.part("virtual", "Virtual", place.scope)
      : this.#client.part("region", "For", place.scope);
    body.push(`${write}(${path}, ${list.isSole ? 0 : list.key}, `, ...each, ", ", ...by, `, ${make}, `);
    body.push(...bind, `, ${slots}`);
    const raw = place.scope.parts.has("store") ? this.#client.runtime(PATHS.store, "raw") : undefined;
    if (virtual) {
      const options = virtual === true ? ["() => true"] : thunk(this.#module, this.#captures, virtual, place);
      return void body.push(`, ${raw ?? 0}, `, ...options, ");\n");
    }
    // An item may be an object of a store, whose fields change while the item stays.
    const isOpen =
      (raw === undefined && mayListStores(this.#module, list.each)) ||
      readsOutside(element, this.#readsOutsideOf(list, place.scope));
    if (raw !== undefined || isOpen) body.push(`, ${raw ?? 0}`);
    if (isOpen) body.push(", 1");
    body.push(");\n");
  }

  /** A list whose rows the server wrote as ranges, for an instance with live props. */
  bindFollowed(list: List, path: string, place: Place, body: Code): void {
    place.scope.frames.push({ fn: list.row, level: list.level + 1 });
    this.bind(list, path, place, body);
  }

  #each({ each, before, behind }: List, place: Place): Code {
    if (before === "" && behind === "") return thunk(this.#module, this.#captures, each, place);
    this.#captures.capture(each, place);
    return [`() => ${before}`, each, behind];
  }

  /**
   * Detects expressions that may change while the row's item stays: they read signals, the index, an outer row, values of the component that
   * may read signals when they are called, constants of the row that depend on these, or functions of the items.
   */
  #readsOutsideOf({ row, each }: List, scope: Scope): (node: Node) => boolean {
    const module = this.#module;
    const [item] = row.params;
    const hasFunctions = module.scopes
      .within(each)
      .some(({ binding }) => binding?.owner != null && module.kind(binding) === "lifted");
    const isOuter = ({ owner, node }: Binding): boolean => {
      if (owner === row) return row.params.some((param) => param !== item && isInside(node, param));
      return scope.frames.some(({ fn }) => fn === owner && isInside(row, fn));
    };
    const asked = new Set<Binding>();
    const reads = (node: Node): boolean =>
      module.liveness(node) !== "static" || module.scopes.within(node).some(readsOuter);
    const readsOuter = ({ binding }: Reference): boolean => {
      if (!binding || asked.has(binding)) return false;
      if (isOuter(binding)) return true;
      if (binding.owner === null || (isInside(binding.node, row) && binding.declared === "param")) return false;
      asked.add(binding);
      if (isInside(binding.node, row)) return reads(binding.source);
      return mayHoldSignals(binding, module.kind(binding)) || reads(binding.source);
    };
    return (node) => {
      asked.clear();
      return reads(node) || (hasFunctions && item !== undefined && callsPartOf(module, node, item));
    };
  }

  /** The identity of a row: `by`, the `key` of its element, the index, or the item itself. */
  #rowKey(list: List, place: Place): Code {
    if (list.by) {
      this.#captures.capture(list.by, place);
      return [list.by];
    }
    const key = keyExpression(list);
    const [param, index] = list.row.params;
    if (!key || !param) return [list.isByIndex ? "(item, index) => index" : "(item) => item"];
    let readsIndex = false;
    for (const { binding, node, name } of this.#module.scopes.within(key)) {
      if (binding?.owner !== list.row || isInside(binding.node, key)) continue;
      // A virtual list calls the key with the item alone.
      const isIndex = !list.virtual && index !== undefined && isInside(binding.node, index);
      readsIndex ||= isIndex;
      if (!isIndex && !isInside(binding.node, param)) {
        throw diagnostic(
          this.#module.file,
          "SVC109",
          node,
          `key={…} identifies a row by its item or index, but "${name}" is created inside the row. Write the expression in the key: key={item.id}; without a key the item itself is used.`,
        );
      }
      place.scope.rewritten.add(node);
    }
    this.#captures.capture(key, place);
    return readsIndex && index ? ["(", param, ", ", index, ") => ", key] : ["(", param, ") => ", key];
  }
}

/** Whether code calls a function of a row's item: `command.isOff()`, or `isOff()` of `({ isOff }) => …`. */
function callsPartOf({ scopes }: Module, code: Node, item: Node): boolean {
  let found = false;
  walk(code, (node) => {
    if (node.type !== "CallExpression") return !found;
    let root: Node = unwrap(node.callee);
    while (root.type === "MemberExpression") root = unwrap(root.object);
    const [reference] = root.type === "Identifier" ? scopes.within(root) : [];
    found ||= reference?.binding !== undefined && isInside(reference.binding.node, item);
    return !found;
  });
  return found;
}
