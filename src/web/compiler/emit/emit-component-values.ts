/**
 * Step 4 for components as values: `<Box as={Icon} />` and `const TABS = [{ view: Home }]`. A row or branch of a component from the server may
 * show such a component, so the server records how the browser gets it: an export of a second browser module of the file, which only apps
 * with such rows and branches have.
 */
import type { Module } from "../analyze/analyze.ts";
import { functionOf, svcName } from "../analyze/declaration-kinds.ts";
import { isFunction, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";
import { newScope } from "../model.ts";
import { ClientModule } from "./client-module.ts";
import type { ServerOutput } from "./server-output.ts";

/** Query of an import that requests the components that a file uses as values. */
export const VALUES_QUERY = "?svc-values";

/** Parents between a component's name and the attribute or constant that it is a value of. */
const CHOICES: ReadonlySet<string> = new Set(["ConditionalExpression", "LogicalExpression", "ParenthesizedExpression"]);
const LITERALS: ReadonlySet<string> = new Set(["Property", "ObjectExpression", "ArrayExpression"]);

export class ComponentValuesEmitter {
  readonly #module: Module;
  readonly #out: ServerOutput;
  readonly #symbols = new Map<Binding, string>();
  #block: string | undefined;
  /** The browser module. */
  readonly client: ClientModule;
  readonly #serverOnly: ReadonlySet<string>;

  /** @param serverOnly names of components that the browser can't create */
  constructor(module: Module, out: ServerOutput, serverOnly: ReadonlySet<string>) {
    this.#serverOnly = serverOnly;
    this.#module = module;
    this.#out = out;
    this.client = new ClientModule(module);
  }

  /** Records the component that a name refers to, if it is a value. */
  emit(node: Node): void {
    if (node.type !== "Identifier") return;
    const binding = this.#module.scopes.within(node).find((reference) => reference.node === node)?.binding;
    if (!binding || binding.owner !== null || !this.#isComponent(binding) || !this.#isValue(node)) return;
    this.#block ??= this.#out.addBlock([
      JSON.stringify(this.#module.file.path + VALUES_QUERY),
      "0",
      "[]",
      '["create", "effect", "region"]',
    ]);
    this.#out.wrap(node, `${this.#out.use("fn")}(${this.#block}, "${this.#symbolOf(binding)}", [], `, ")");
  }

  #isComponent(binding: Binding): boolean {
    if (!/^[A-Z]/.test(binding.name) || !this.client.creatables.has(binding)) return false;
    return binding.declared === "import" || functionOf(binding) !== undefined;
  }

  /** Whether it is the value of an attribute, part of a constant, or an argument: `signal(Home)`, `useView(Home, About)`. */
  #isValue(node: Node): boolean {
    let inner = node;
    let parent = this.#module.parentOf(node);
    if (parent?.type === "Property" && (parent.shorthand || parent.value !== node)) return false;
    while (parent && (CHOICES.has(parent.type) || LITERALS.has(parent.type) || parent.type.startsWith("TS"))) {
      inner = parent;
      parent = this.#module.parentOf(parent);
    }
    if (parent?.type === "JSXExpressionContainer") return this.#isAttribute(this.#module.parentOf(parent));
    if (parent?.type === "CallExpression")
      return parent.callee !== inner && (this.#isInFunction(parent) || this.#makesComponent(parent));
    if (parent?.type !== "VariableDeclarator" || parent.init !== inner) return false;
    return inner !== node || this.#isInFunction(parent);
  }

  /** Apps name components of pages outside of functions. */
  #isInFunction(node: Node): boolean {
    for (let at = this.#module.parentOf(node); at; at = this.#module.parentOf(at)) if (isFunction(at)) return true;
    return false;
  }

  /** `const TitledCard = withBox(withTitle(Card))` */
  #makesComponent(call: Node): boolean {
    let parent = this.#module.parentOf(call);
    while (parent?.type === "CallExpression") parent = this.#module.parentOf(parent);
    return parent?.type === "VariableDeclarator" && parent.id.type === "Identifier" && /^[A-Z]/.test(parent.id.name);
  }

  /** Components of the framework are given no value that a row or branch may show later. */
  #isAttribute(attribute: Node | undefined): boolean {
    if (attribute?.type !== "JSXAttribute") return false;
    const tag = this.#module.parentOf(attribute);
    return tag?.type !== "JSXOpeningElement" || svcName(tag.name, this.#module.scopes) === undefined;
  }

  #symbolOf(binding: Binding): string {
    let symbol = this.#symbols.get(binding);
    if (symbol === undefined) {
      symbol = `v${this.#symbols.size}`;
      this.#symbols.set(binding, symbol);
      const scope = newScope(0, this.client.newEdits());
      const code = this.#serverOnly.has(binding.name)
        ? `() => { throw new Error(${JSON.stringify(`<${binding.name}> of ${this.#module.file.path} runs only on the server, but a row or branch shows it.`)}); }`
        : this.client.creatable(binding, scope);
      this.client.add(scope.edits, [`export const ${symbol} = () => ${code};\n`]);
    }
    return symbol;
  }
}
