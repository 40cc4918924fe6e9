/**
 * Decides which names of a module may make content in the browser: components, functions that return JSX, and tables and wrappers of them.
 * Created content takes them from the module's create functions (emit/emit-create.ts).
 */
import { holdsJsx, unwrap, type Node } from "../parse/ast.ts";
import { functionOf, importOf, initOf, svcImport } from "./declaration-kinds.ts";
import type { Binding, Scopes } from "../parse/scopes.ts";

export class Creatables {
  readonly #scopes: Scopes;
  readonly #known = new Map<Binding, boolean>();

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
  }

  /** Whether a name of the module may be a component, return JSX, or contain a component. */
  has(binding: Binding): boolean {
    if (binding.declared === "import") return svcImport(binding) === undefined && this.#mayImport(binding);
    const known = this.#known.get(binding);
    if (known !== undefined) return known;
    // A function that calls itself adds nothing to what else it uses.
    this.#known.set(binding, false);
    const isCreatable = holdsJsx(binding.source) || this.usesComponent(binding.source) || this.#isText(binding);
    this.#known.set(binding, isCreatable);
    return isCreatable;
  }

  /**
   * Whether the name is a value that contains components of the module, such as `const ICONS = { star: Star }`, or a literal with functions
   * that return JSX, such as `const COLUMNS = [{ render: (user) => <b>{user.name}</b> }]`.
   */
  isTable(binding: Binding, seen = new Set<Binding>()): boolean {
    if (binding.declared === "import" || seen.has(binding)) return false;
    if (holdsJsx(binding.source)) return isLiteral(initOf(binding));
    seen.add(binding);
    return this.#used(binding.source).some(
      (used) => holdsJsx(used.source) || this.isTable(used, seen) || this.#isImportedComponent(used),
    );
  }

  /** Whether a name is that of a component which shows only a text. */
  #isText(binding: Binding): boolean {
    return functionOf(binding) !== undefined && this.#isTag(binding);
  }

  /** A file without JSX may export components of another one. */
  #mayImport(binding: Binding): boolean {
    return /\.[jt]sx$/.test(String(importOf(binding)?.source.value)) || this.#isTag(binding);
  }

  /** `Home` of `import { Home } from "./home.tsx"`, but no type of an enum or a class. */
  #isImportedComponent(binding: Binding): boolean {
    return binding.declared === "import" && /^[A-Z]/.test(binding.name) && this.has(binding);
  }

  /** `<Theme.Provider>` names a context, which is no component. */
  #isTag(binding: Binding): boolean {
    return this.#scopes.references.some(({ binding: named, node, parent }) => {
      if (named !== binding || node.type !== "JSXIdentifier" || parent.type !== "JSXOpeningElement") return false;
      const { name } = parent;
      return name.type !== "JSXMemberExpression" || name.property.name !== "Provider";
    });
  }

  /** Types are no references, and components begin with a capital letter. */
  usesComponent(source: Node): boolean {
    return this.#used(source).some((used) =>
      used.declared === "import" ? /^[A-Z]/.test(used.name) && this.has(used) : this.has(used),
    );
  }

  #used(source: Node): Binding[] {
    return this.#scopes
      .within(source)
      .flatMap(({ binding }) => (binding?.owner === null && binding.source !== source ? [binding] : []));
  }
}

function isLiteral(init: Node | undefined): boolean {
  const inner = init && unwrap(init);
  return inner?.type === "ArrayExpression" || inner?.type === "ObjectExpression";
}
