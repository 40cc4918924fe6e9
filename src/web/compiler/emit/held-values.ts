/**
 * Server code that looks for stores in the results of hooks (web/ssr/resume/held-state.ts). An instance with such a value is bound like one
 * with live props. The check runs once for each instance, behind the declaration: `const state = held(props, "~form", form, "data.name")`.
 */
import type { Module } from "../analyze/analyze.ts";
import { heldName, hookOf, isHeld, membersRead, statementOf } from "../analyze/held-state.ts";
import { bindingAt } from "../analyze/prop-names.ts";
import { componentOf } from "../analyze/prop-reads.ts";
import { unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { ServerOutput } from "./server-output.ts";

/** The result of a hook, or a member of it, under a name of the component. */
interface HeldValue {
  /** As in `heldName`. */
  name: string;
  source: string;
}

/** Server code of a value, and the members that the component reads of it. */
interface ShownValue {
  source: string;
  paths: string;
}

/** The constant behind a statement that calls hooks: the props of the instance and the state in the results of hooks so far. */
interface State {
  constant: string;
  /** Names of the values that are declared there. */
  names: Set<string>;
}

export class HeldValues {
  readonly #module: Module;
  readonly #out: ServerOutput;
  readonly #states = new Map<FunctionNode, readonly State[]>();
  /** The hooks in whose results the module looks for stores, by their local names. */
  readonly hooks = new Set<string>();
  #count = 0;

  constructor(module: Module, out: ServerOutput) {
    this.#module = module;
    this.#out = out;
  }

  /** The value behind a name of a component; undefined if no hook returns it. */
  of(node: Node): HeldValue | undefined {
    const fn = componentOf(this.#module, node);
    const binding = bindingAt(this.#module, unwrap(node));
    const name = fn && binding && heldName(this.#module, fn, binding);
    return name === undefined ? undefined : { name, source: binding?.name ?? name };
  }

  /** Code of what the browser gets of a value that a node names. @param source code of the whole value */
  shown(node: Node, { name }: HeldValue, source: string): string {
    const fn = componentOf(this.#module, node);
    return fn ? `${this.#out.use("prop")}(${this.propsWith(fn, [name])}, ${JSON.stringify(name)}, ${source})` : source;
  }

  /** Code of a component's props object. */
  propsOf(fn: FunctionNode): string {
    const [param] = fn.params;
    if (!param || param.type === "RestElement") return "undefined";
    return param.type === "Identifier" ? param.name : this.#out.useProps(fn);
  }

  /** The same, with the state in the values that have one of these names. */
  propsWith(fn: FunctionNode, names: readonly string[]): string {
    const states = names.some(isHeld) ? this.#statesOf(fn) : [];
    const needed = states.filter((state) => names.some((name) => state.names.has(name)));
    return needed.at(-1)?.constant ?? this.propsOf(fn);
  }

  #statesOf(fn: FunctionNode): readonly State[] {
    const known = this.#states.get(fn);
    if (known) return known;
    const states: State[] = [];
    let props = this.propsOf(fn);
    for (const [statement, values] of this.#valuesOf(fn)) {
      const constant = this.#out.local(`state${this.#count++}`);
      const args = [...values].flatMap(([name, { source, paths }]) => [
        JSON.stringify(name),
        source,
        JSON.stringify(paths),
      ]);
      this.#out.behind(statement, `const ${constant} = ${this.#out.use("held")}(${[props, ...args].join(", ")});`);
      for (const name of values.keys()) this.hooks.add(hookOf(name));
      states.push({ constant, names: new Set(values.keys()) });
      props = constant;
    }
    this.#states.set(fn, states);
    return states;
  }

  /** What the component shows of hooks, by the statement that calls them and by name. */
  #valuesOf(fn: FunctionNode): Map<Node, Map<string, ShownValue>> {
    const found = new Map<Node, Map<string, ShownValue>>();
    for (const binding of this.#module.scopes.bindings) {
      const name = heldName(this.#module, fn, binding);
      const statement = statementOf(this.#module, fn, binding);
      const paths = name === undefined ? undefined : membersRead(this.#module, fn, binding);
      if (name === undefined || !statement || paths === undefined) continue;
      const values = found.get(statement) ?? new Map<string, ShownValue>();
      found.set(statement, values.set(name, { source: binding.name, paths }));
    }
    return new Map([...found].sort(([one], [other]) => one.start - other.start));
  }
}
