/** Emits handlers: functions of the source with the slots of the scope as an additional first parameter. */
import type { Module } from "../analyze/analyze.ts";
import { isCallOfHook } from "../extract/handlers.ts";
import { propReads } from "../analyze/prop-reads.ts";
import { isFunction, type Node } from "../parse/ast.ts";
import type { Captures, Place } from "../extract/captures.ts";
import type { ClientModule } from "./client-module.ts";
import { isWrapper } from "../analyze/returned-functions.ts";
import { mayUndo } from "../analyze/hooks.ts";
import type { Code, Handler, HandlerStep, Scope } from "../model.ts";

/** Expressions of a handler that may have no function as their value. */
const CHOICES = new Set(["ConditionalExpression", "LogicalExpression", "Literal"]);

export class HandlerEmitter {
  readonly #module: Module;
  readonly #client: ClientModule;
  readonly #captures: Captures;

  constructor(module: Module, client: ClientModule, captures: Captures) {
    this.#module = module;
    this.#client = client;
    this.#captures = captures;
  }

  /** One statement before the handler's own code. */
  #before(step: HandlerStep, { attribute }: Handler, scope: Scope): string {
    const { event, element } = this.#client.names;
    const name = JSON.stringify(attribute);
    switch (step) {
      case "within":
        return `if (!${element}.contains(${event}.target)) return;\n`;
      case "global":
        return `if (!${event}.bubbles && ${event}.target.closest) return;\n`;
      case "once":
        return `if (!${element}.hasAttribute(${name})) return;\n${element}.removeAttribute(${name});\n`;
      case "stop":
        return `${event}.stopPropagation();\n`;
      default:
        return `${this.#client.part("form", "keep", scope)}(${element});\n`;
    }
  }

  #condition({ condition }: Handler): string {
    const { event, element } = this.#client.names;
    return condition === undefined ? "" : `if ((${condition})(${event}, ${element})) ${event}.preventDefault();\n`;
  }

  /** The export of one handler. */
  emit(handler: Handler, scope: Scope): Code {
    const place: Place = { scope, level: handler.level, isBinding: false };
    return [`export const ${handler.symbol} = `, ...this.code(handler, place), ";\n"];
  }

  /** The function of one handler. */
  code(handler: Handler, place: Place): Code {
    const { slots, event, element } = this.#client.names;
    const { scope } = place;
    for (const fn of handler.functions) this.#captures.capture(fn, place);
    const [first] = handler.functions;
    if (first && place.isCreated && isWrapper(this.#module, first)) return this.#madeWithElement(first);
    const kept = first && this.#isMadeOnce(first, place) ? `${slots}.${this.#client.names.unique("made")} ??= ` : "";
    const opening = first && CHOICES.has(first.type) ? "((" : `(${kept}`;
    const before = this.#condition(handler) + handler.before.map((step) => this.#before(step, handler, scope)).join("");
    const isChoice = first !== undefined && CHOICES.has(first.type);
    // An optional function prop may be missing, and a condition may have `false` or no value.
    const isMember = first?.type === "MemberExpression" || first?.type === "ChainExpression";
    const mayBeMissing = isChoice || isMember || (first && this.#isProp(first, scope));
    const call = `${isChoice ? ") || null)" : ")"}${mayBeMissing ? "?." : ""}(${event}, ${element})`;
    if (before !== "" || !first) {
      const open = `(${slots}, ${event}, ${element}) => {\n${before}`;
      return first ? [`${open}return ${opening}`, first, `${call};\n}`] : [open, "}"];
    }
    const isPlain = !handler.takesElement || (handler.functions.length === 1 && !mayUndo(this.#module, first));
    if (isPlain && isFunction(first) && !(handler.takesElement && first.params[0])) {
      if (addFirstParam(first, slots, this.#module.file.text, scope)) return [first];
    }
    const open = `(${slots}, ${event}, ${element}) => `;
    if (!handler.takesElement) return [open, opening, first, call];
    return [`${open}{\n`, ...handler.functions.flatMap((fn) => this.#moment(fn, scope)), "}"];
  }

  /** `onInput={debounce(save, 300)}` of an element that the browser creates. */
  #madeWithElement(call: Node): Code {
    const { slots, event, element, prefix } = this.#client.names;
    const made = `${prefix}made`;
    return [`((${made}) => (${slots}, ${event}, ${element}) => ${made}(${event}, ${element}))(`, call, ")"];
  }

  /** Whether a call makes the handler, `onInput={debounce(save, 300)}`, from what does not change. */
  #isMadeOnce(fn: Node, { scope, level }: Place): boolean {
    if (fn.type === "CallExpression" && isWrapper(this.#module, fn))
      return fn.arguments.every((item) => isFunction(item) || item.type === "Literal" || item === fn.arguments[0]);
    if (fn.type !== "CallExpression" || scope.isClosure || level > 0 || !isCallOfHook(this.#module, fn)) return false;
    return fn.arguments.every(
      (item) => isFunction(item) || (this.#module.liveness(item) === "static" && propReads(this.#module, item) === ""),
    );
  }

  #isProp(fn: Node, scope: Scope): boolean {
    const [reference] = isFunction(fn) ? [] : this.#module.scopes.within(fn);
    const { binding } = reference ?? {};
    return binding?.declared === "param" && !scope.frames.some((frame) => frame.fn === binding.owner);
  }

  /** A callback of `onLoad` or a similar function. The part `effect` calls it if it may return a cleanup function. */
  #moment(fn: Node, scope: Scope): Code {
    const { element } = this.#client.names;
    if (mayUndo(this.#module, fn)) return [`${this.#client.part("effect", "L", scope)}(${element}, `, fn, ");\n"];
    return ["(", fn, `)(${element});\n`];
  }
}

/** `(e) => …` -> `($, e) => …`. @returns false for functions that are not arrows, and for generic ones */
function addFirstParam(fn: Node, name: string, source: string, scope: Scope): boolean {
  if (fn.type !== "ArrowFunctionExpression" || fn.typeParameters) return false;
  const [param] = fn.params;
  if (!param) {
    const open = source.indexOf("(", fn.start);
    scope.edits.appendLeft(open + 1, name);
    return true;
  }
  const hasParen = source.slice(fn.start, param.start).includes("(");
  scope.edits.prependRight(param.start, `${hasParen ? "" : "("}${name}, `);
  if (!hasParen) scope.edits.appendLeft(param.end, ")");
  return true;
}
