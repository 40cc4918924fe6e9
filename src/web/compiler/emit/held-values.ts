/**
 * Server code that looks for stores in the results of hooks and the values of contexts (web/ssr/resume/held-state.ts). An instance with such a
 * value is bound like one with live props. The check runs once for each instance, behind the declaration: `const state = held(props, "~form", form, "data.name")`.
 */
import { ALL_PROPS } from "../../../platform/shared/wire.ts";
import type { Module } from "../analyze/analyze.ts";
import { heldName, hookOf, isHeld, statementOf } from "../analyze/held-state.ts";
import { aliased, membersRead, propMembersRead } from "../analyze/members-read.ts";
import { bindingAt } from "../analyze/prop-names.ts";
import { componentOf } from "../analyze/prop-reads.ts";
import { unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";
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
  readonly #members = new Map<FunctionNode, ReadonlyMap<string, string>>();
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

  /** As `of`, also for another name of the value: `const same = form`. */
  behind(node: Node): HeldValue | undefined {
    const binding = bindingAt(this.#module, unwrap(node));
    const original = binding && aliased(binding);
    return this.of(node) ?? (original && this.behind(original));
  }

  /** Position behind the last call of a hook whose result a component shows; undefined if there is none. */
  endOfHooks(fn: FunctionNode): number | undefined {
    return [...this.#valuesOf(fn).keys()].at(-1)?.end;
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
    return this.stateWith(fn, names) ?? this.#readProps(fn, names);
  }

  /** The constant with the state in the values that have one of these names; undefined if no hook returns such a value. */
  stateWith(fn: FunctionNode, names: readonly string[]): string | undefined {
    const states = names.some(isHeld) ? this.#statesOf(fn) : [];
    return states.filter((state) => names.some((name) => state.names.has(name))).at(-1)?.constant;
  }

  /** Code of the props, with the state in those objects of which the component reads members. */
  #readProps(fn: FunctionNode, names: readonly string[]): string {
    const props = this.propsOf(fn);
    let members = this.#members.get(fn);
    if (!members) this.#members.set(fn, (members = propMembersRead(this.#module, fn)));
    const args = [...members]
      .filter(([name]) => names.includes(name) || names.includes(ALL_PROPS))
      .flatMap((pair) => pair.map((text) => JSON.stringify(text)));
    return args.length === 0 ? props : `${this.#out.use("withMembers")}(${[props, ...args].join(", ")})`;
  }

  #statesOf(fn: FunctionNode): readonly State[] {
    const known = this.#states.get(fn);
    if (known) return known;
    const states: State[] = [];
    let props = this.#readProps(fn, [ALL_PROPS]);
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

  /** The member that an `<Await>` shows of a value: it may be a resource. */
  #shown(binding: Binding): string | undefined {
    const { scopes } = this.#module;
    const isShown = scopes.bindings.some((one) => {
      const value = this.#module.awaitedValue(one)?.value;
      return value?.type === "Identifier" && scopes.within(value)[0]?.binding === binding;
    });
    return isShown ? "value" : undefined;
  }

  /** What the component shows of hooks, by the statement that calls them and by name. */
  #valuesOf(fn: FunctionNode): Map<Node, Map<string, ShownValue>> {
    const found = new Map<Node, Map<string, ShownValue>>();
    for (const binding of this.#module.scopes.bindings) {
      const name = heldName(this.#module, fn, binding);
      const statement = statementOf(this.#module, fn, binding);
      const paths = name === undefined ? undefined : (membersRead(this.#module, fn, binding) ?? this.#shown(binding));
      if (name === undefined || !statement || paths === undefined) continue;
      const values = found.get(statement) ?? new Map<string, ShownValue>();
      found.set(statement, values.set(name, { source: binding.name, paths }));
    }
    return new Map([...found].sort(([one], [other]) => one.start - other.start));
  }
}
