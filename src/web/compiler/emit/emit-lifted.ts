/**
 * Step 4 for functions and computeds that leave their function (analyze/escaping.ts): the browser module exports a factory for each, and the
 * server module records the factory with the value.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Module } from "../analyze/analyze.ts";
import { escapingValues, momentsElsewhere, type Escaping } from "../analyze/escaping.ts";
import { diagnostic } from "../diagnostics.ts";
import { isFunction, type Node } from "../parse/ast.ts";
import type { BrowserEmitter } from "./emit-browser.ts";
import type { ClientModule } from "./client-module.ts";
import { newScope, type Scope, type Slot } from "../model.ts";
import type { ServerOutput } from "./server-output.ts";

export class LiftedEmitter {
  readonly #module: Module;
  readonly #client: ClientModule;
  readonly #browser: BrowserEmitter;
  readonly #out: ServerOutput;
  readonly #slotCode: (slot: Slot) => string;

  /** @param slotCode server code of a captured value */
  constructor(
    module: Module,
    client: ClientModule,
    browser: BrowserEmitter,
    out: ServerOutput,
    slotCode: (slot: Slot) => string = ({ source }) => source,
  ) {
    this.#slotCode = slotCode;
    this.#module = module;
    this.#client = client;
    this.#browser = browser;
    this.#out = out;
  }

  /** Adds an error for each effect of a hook that the browser can't run. */
  emit(): void {
    for (const escaping of escapingValues(this.#module)) this.#module.problems.attempt(() => this.#lift(escaping));
    for (const { node, name } of momentsElsewhere(this.#module)) {
      const text = `${name} is called by a function that is no component, so it has no element whose moment the browser could wait for. Call it in the component, and give it a function of the hook: ${name}(hook.start). onLoad works in hooks.`;
      this.#module.problems.add(diagnostic(this.#module.file, "SVC111", node, text));
    }
  }

  #lift(escaping: Escaping): void {
    const scope = newScope(0, this.#client.newEdits());
    const symbol = this.#client.names.nextSymbol("h");
    try {
      if (escaping.form === "effect") this.#browser.emitHookEffect(scope, escaping.node, symbol);
      else if (escaping.form === "load") this.#emitLoad(scope, escaping, symbol);
      else this.#browser.emitFunction(scope, escaping.node, symbol, isMember(escaping) ? head(escaping) : "");
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
    this.#write(escaping, `${this.#block(scope)}, "${symbol}", () => [${scope.slots.map(this.#slotCode).join(", ")}]`);
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
    this.#browser.emitHookLoad(scope, node, symbol);
  }

  #write({ form, node, place, owner }: Escaping, args: string): void {
    const lift = (name: string): string => `${this.#out.use(name)}(${args}, `;
    if (form === "effect") this.#out.replace(place.start, node.start, lift("hookEffect"));
    else if (form === "load") this.#out.replace(place.start, node.start, lift("hookLoad"));
    else if (form === "method") {
      const { start, end } = keyOf(place);
      const key = this.#module.file.text.slice(start, end);
      this.#out.replace(place.start, node.start, `${key}: ${lift("lift")}${head({ node })}`);
      this.#out.after(node, ")");
    } else if (form === "getter") {
      const { start, end } = keyOf(place);
      const object = this.#module.parentOf(place);
      const name = JSON.stringify(this.#module.file.text.slice(start, end));
      if (object) this.#out.wrap(object, `${this.#out.use("getter")}(${args}, ${name}, `, ")");
    } else if (form === "declaration") {
      const name = node.type === "FunctionDeclaration" ? (node.id?.name ?? "") : "";
      if (owner.body) this.#out.after({ ...owner.body, end: owner.body.start + 1 }, ` ${lift("lift")}${name});`);
    } else this.#out.wrap(node, lift("lift"), ")");
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
function head({ node }: Pick<Escaping, "node">): string {
  if (node.type !== "FunctionExpression") return "";
  return `${node.async ? "async " : ""}function${node.generator ? "*" : ""} `;
}
