/**
 * Step 4 for functions and computeds that leave their function (analyze/escaping.ts): the browser module exports a factory for each, and the
 * server module records the factory with the value.
 */
import type { ESTree } from "vite";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Module } from "../analyze/analyze.ts";
import { escapingValues, momentsElsewhere, resourcesElsewhere, type Escaping } from "../analyze/escaping.ts";
import { functionOf } from "../analyze/declaration-kinds.ts";
import { bindingAt } from "../analyze/prop-names.ts";
import { mayFetchInHook } from "../analyze/followed-resources.ts";
import { diagnostic, placeIn } from "../diagnostics.ts";
import { handlerFlags, madeFlags } from "../extract/handlers.ts";
import { isFunction, type Node } from "../parse/ast.ts";
import type { BrowserEmitter } from "./emit-browser.ts";
import type { ClientModule } from "./client-module.ts";
import type { LivePropsEmitter } from "./emit-live-props.ts";
import { newScope, type Scope, type Slot } from "../model.ts";
import type { ServerOutput } from "./server-output.ts";

export class LiftedEmitter {
  readonly #module: Module;
  readonly #client: ClientModule;
  readonly #browser: BrowserEmitter;
  readonly #out: ServerOutput;
  readonly #live: LivePropsEmitter | undefined;

  /** @param live emits the module of live props, which modules without JSX lack */
  constructor(
    module: Module,
    client: ClientModule,
    browser: BrowserEmitter,
    out: ServerOutput,
    live?: LivePropsEmitter,
  ) {
    this.#live = live;
    this.#module = module;
    this.#client = client;
    this.#browser = browser;
    this.#out = out;
  }

  /** Adds an error for each effect of a hook that the browser can't run. */
  emit(): void {
    for (const escaping of escapingValues(this.#module)) this.#module.problems.attempt(() => this.#lift(escaping));
    for (const call of resourcesElsewhere(this.#module)) this.#module.problems.attempt(() => this.#emitResource(call));
    for (const { node, name } of momentsElsewhere(this.#module)) {
      const text = `${name} is called by a function that is no component, so it has no element whose moment the browser could wait for. Call it in the component, and give it a function of the hook: ${name}(hook.start). onLoad works in hooks.`;
      this.#module.problems.add(diagnostic(this.#module.file, "SVC111", node, text));
    }
  }

  /** Tells the server where a hook calls `resource`, and how the browser fetches it again. */
  #emitResource({ callee, arguments: given }: ESTree.CallExpression): void {
    const { file } = this.#module;
    const { line, column } = placeIn(file, callee.start);
    const place = JSON.stringify(`${file.path}:${line}:${column}`);
    const again = mayFetchInHook(this.#module, given) ? this.#fetchAgain(given) : "";
    this.#out.replace(callee.start, callee.end, `${this.#out.use("hookResource")}(${place}${again})`);
  }

  /** @returns further arguments; empty if only the server can fetch the resource */
  #fetchAgain(fetch: readonly Node[]): string {
    const scope = newScope(0, this.#client.newEdits());
    const symbol = this.#client.names.nextSymbol("h");
    const [source] = fetch;
    // The runtime of the server puts the resource before the captured values.
    if (source) scope.slots.push({ source: "", kind: "resource", node: source });
    try {
      this.#browser.effects.hookResource(scope, fetch, symbol);
    } catch (error) {
      const isSure = source !== undefined && this.#module.liveness(source) === "live";
      if (error instanceof SvcError && !isSure) return "";
      throw error;
    }
    const [, ...slots] = scope.slots;
    return `, ${this.#block(scope)}, "${symbol}", () => [${slots.map((slot) => this.#slotCode(slot)).join(", ")}]`;
  }

  #lift(escaping: Escaping): void {
    if (escaping.receivers) return this.#give(escaping, escaping.receivers);
    const scope = newScope(0, this.#client.newEdits());
    const symbol = this.#client.names.nextSymbol("h");
    try {
      if (escaping.form === "effect") this.#browser.effects.hookEffect(scope, escaping.node, symbol);
      else if (escaping.form === "load") this.#emitLoad(scope, escaping, symbol);
      else
        this.#browser.emitFunction(
          scope,
          this.#codeOf(escaping.node),
          symbol,
          isMember(escaping) ? headOf(escaping) : "",
        );
    } catch (error) {
      // Code that only the server can run stays there. If a page captures it, rendering reports it (SVC201).
      if (
        !(error instanceof SvcError) ||
        escaping.form === "load" ||
        (escaping.form === "effect" && this.#isHook(escaping))
      )
        throw error;
      return;
    }
    this.#write(
      escaping,
      `${this.#block(scope)}, "${symbol}", () => [${scope.slots.map((slot) => this.#slotCode(slot)).join(", ")}]`,
    );
  }

  /** A function that only pages need whose browser code captures it. It is in the module of live props. */
  #give(escaping: Escaping, receivers: readonly string[]): void {
    const head = isMember(escaping) ? headOf(escaping) : "";
    const args = this.#live?.giveFunction(receivers, this.#codeOf(escaping.node), head, escaping.form === "module");
    if (args !== undefined) this.#write(escaping, args);
  }

  /** SVC111: several components may call the hook, and some have no element. */
  #emitLoad(scope: Scope, { node }: Escaping, symbol: string): void {
    if (isFunction(node) && node.params.length > 0)
      throw diagnostic(
        this.#module.file,
        "SVC111",
        node,
        "In a hook, the function of onLoad gets no element. Create a ref in the hook, const element = createRef(), return it for ref={…}, and read element.current.",
      );
    this.#browser.effects.hookLoad(scope, node, symbol);
  }

  #write({ form, node, place, owner }: Escaping, args: string): void {
    const flagged = this.#flagged(node);
    const lift = (name: string): string => `${name === "lift" ? flagged : ""}${this.#out.use(name)}(${args}, `;
    const close = flagged === "" ? ")" : "))";
    if (form === "effect") this.#out.replace(place.start, node.start, lift("hookEffect"));
    else if (form === "load") this.#out.replace(place.start, node.start, lift("hookLoad"));
    else if (form === "module") this.#out.wrap(node, this.#shorthand(node) + lift("moduleValue"), ")");
    else if (form === "method") {
      const { start, end } = keyOf(place);
      const key = this.#module.file.text.slice(start, end);
      this.#out.replace(place.start, node.start, `${key}: ${lift("lift")}${headOf({ node })}`);
      this.#out.after(node, close);
    } else if (form === "getter") {
      const { start, end } = keyOf(place);
      const object = this.#module.parentOf(place);
      const name = JSON.stringify(this.#module.file.text.slice(start, end));
      if (object) this.#out.wrap(object, `${this.#out.use("getter")}(${args}, ${name}, `, ")");
    } else if (form === "declaration") {
      const name = node.type === "FunctionDeclaration" ? (node.id?.name ?? "") : "";
      if (owner.body) this.#out.after({ ...owner.body, end: owner.body.start + 1 }, ` ${lift("lift")}${name}${close};`);
    } else if (form === "wrapped") this.#out.wrap(node, this.#shorthand(node) + lift("wrapped"), ")");
    else this.#out.wrap(node, this.#shorthand(node) + lift("lift"), close);
  }

  /** Code before the call that records a function: its flags, and those of handlers that it makes. An element may get it. */
  #flagged(node: Node): string {
    const code = this.#codeOf(node);
    if (!isFunction(code)) return "";
    const flags = [handlerFlags(this.#module, code), madeFlags(code)];
    if (flags.join("") === "") return "";
    return `${this.#out.use("flagged")}(${flags.map((text) => JSON.stringify(text)).join(", ")}, `;
  }

  /** The function behind `toggle` in `{ toggle }`, where the browser code of the name would contain the key. */
  #codeOf(node: Node): Node {
    const binding = this.#shorthand(node) === "" ? undefined : bindingAt(this.#module, node);
    return (binding && functionOf(binding)) ?? node;
  }

  /** `toggle: ` for `toggle` in `{ toggle }`. */
  #shorthand(node: Node): string {
    const parent = this.#module.parentOf(node);
    const isShort = parent?.type === "Property" && parent.shorthand;
    return isShort ? `${this.#module.file.text.slice(node.start, node.end)}: ` : "";
  }

  /** Server code of a captured value. */
  #slotCode(slot: Slot): string {
    return this.#live ? this.#live.slot(slot) : slot.source;
  }

  #block(scope: Scope): string {
    const { path } = this.#module.file;
    const parts = JSON.stringify([...scope.parts].sort());
    const names = JSON.stringify(["", ...scope.slots.map(({ source }) => source)]);
    return this.#out.addBlock([JSON.stringify(path), "0", "[]", parts, names]);
  }

  #isHook({ owner }: Escaping): boolean {
    const parent = this.#module.parentOf(owner);
    const name =
      owner.id?.name ??
      (parent?.type === "VariableDeclarator" && parent.id.type === "Identifier" ? parent.id.name : "");
    return /^use[A-Z]/.test(name);
  }
}

function keyOf(property: Node): Node {
  return property.type === "Property" ? property.key : property;
}

function isMember({ form }: Escaping): boolean {
  return form === "method" || form === "getter";
}

/** Keywords that make a method a function expression. */
export function headOf({ node }: { node: Node }): string {
  if (node.type !== "FunctionExpression") return "";
  return `${node.async ? "async " : ""}function${node.generator ? "*" : ""} `;
}
