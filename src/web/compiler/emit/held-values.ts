/**
 * Server code that looks for stores in values (web/ssr/resume/held-state.ts): in the results of hooks, in items of rows, and in props of which a
 * member is read. An instance with such a value is bound like one with live props.
 */
import { ALL_PROPS } from "../../../platform/shared/wire.ts";
import type { Module } from "../analyze/analyze.ts";
import { HELD, heldName, membersRead } from "../analyze/held-state.ts";
import { bindingAt, propNamed } from "../analyze/prop-names.ts";
import { componentOf } from "../analyze/prop-reads.ts";
import { unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { ServerOutput } from "./server-output.ts";

/** Server code of a value, and the members that the component reads of it. */
interface HeldValue {
  source: string;
  paths: string;
}

export class HeldValues {
  readonly #module: Module;
  readonly #out: ServerOutput;
  /** Whether the module looks for stores. */
  isUsed = false;

  constructor(module: Module, out: ServerOutput) {
    this.#module = module;
    this.#out = out;
  }

  /** The value behind a name of a component; undefined if it can't be a store. */
  of(node: Node): HeldValue | undefined {
    const fn = componentOf(this.#module, node);
    const binding = bindingAt(this.#module, unwrap(node));
    if (!fn || !binding || heldName(this.#module, fn, binding) === undefined) return undefined;
    const paths = membersRead(this.#module, fn, (one) => (one.binding === binding ? one.node : undefined));
    return paths === undefined ? undefined : { source: binding.name, paths };
  }

  /** Code of what the browser gets of such a value. @param source code of the whole value */
  stateOf(value: HeldValue, source: string): string {
    return `(${this.#out.use("stateOf")}(${value.source}, ${JSON.stringify(value.paths)}) ?? ${source})`;
  }

  /** Code of a component's props object. */
  propsOf(fn: FunctionNode): string {
    const [param] = fn.params;
    if (!param || param.type === "RestElement") return "undefined";
    return param.type === "Identifier" ? param.name : this.#out.useProps(fn);
  }

  /** The same, with the state in the values that have these names. */
  propsWith(fn: FunctionNode, names: string): string {
    const props = this.propsOf(fn);
    const args = [...new Set(names.split(" "))].flatMap((name) => {
      const value = this.#named(fn, name);
      return value ? [`${JSON.stringify(name)}, ${value.source}, ${JSON.stringify(value.paths)}`] : [];
    });
    if (args.length === 0) return props;
    this.isUsed = true;
    return `${this.#out.use("held")}(${[props, ...args].join(", ")})`;
  }

  #named(fn: FunctionNode, name: string): HeldValue | undefined {
    if (name.startsWith(HELD)) {
      const isNamed = this.#module.scopes
        .within(fn)
        .find(({ binding }) => binding && heldName(this.#module, fn, binding) === name);
      return isNamed && this.of(isNamed.node);
    }
    if (name === "" || name === ALL_PROPS) return undefined;
    const paths = membersRead(this.#module, fn, ({ node }) => {
      const member = this.#module.parentOf(node);
      const start = member?.type === "MemberExpression" && member.object === node ? member : node;
      return [start, node].find((one) => propNamed(this.#module, fn, one) === name);
    });
    return paths === undefined ? undefined : { source: `${this.propsOf(fn)}?.[${JSON.stringify(name)}]`, paths };
  }
}
