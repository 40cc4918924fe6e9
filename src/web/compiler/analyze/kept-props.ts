/**
 * Finds props that a component shows only once, although a caller may pass ones that change: the component decides by them which JSX it returns
 * in a way that the browser can't repeat, or the browser can't run the code that shows them. A caller that passes such a prop is refused
 * (SVC121), because the page would be stale without a message.
 */
import { diagnostic } from "../diagnostics.ts";
import type { Binding } from "../parse/scopes.ts";
import { initOf } from "./declaration-kinds.ts";
import { mayFetchAgain } from "./resources.ts";
import { isChildren } from "../extract/jsx-forms.ts";
import { tagName, unwrap, type Node } from "../parse/ast.ts";
import type { Module } from "./analyze.ts";
import { PropPlaces, placeAt, type PlacesByName, type PropCall, type PropPlace } from "./prop-places.ts";
import { codeReads, componentOf, keptReads, propReads } from "./prop-reads.ts";
import { isShown } from "./stale-reads.ts";

/** Where a component shows a prop that it keeps. */
export interface KeptPlace extends PropPlace {
  /**
   * `return`: it decides which JSX the component returns. `name`: a name that the browser can't make again. `code`: code that only the server
   * can run. `once`: a prop of a component of the framework, or what chooses a component. `spread`: props of another component, whose names are unknown. `provider`: the value of a context.
   * `text`: children in an element that contains only a text. `source`: the source of a resource that the browser does not fetch again.
   */
  readonly kind: "return" | "name" | "code" | "once" | "spread" | "provider" | "text" | "source";
}

/** The props that components keep, by the name of the component. */
export type KeptByName = PlacesByName<KeptPlace>;

export class KeptProps {
  readonly #module: Module;
  readonly #places: PropPlaces<KeptPlace>;

  constructor(module: Module) {
    this.#module = module;
    this.#places = new PropPlaces(module);
    for (const reference of module.scopes.references) {
      const { binding, node } = reference;
      if (!binding?.owner || binding.declared === "param" || !module.components.has(binding.owner)) continue;
      const names = isShown(module, reference) ? keptReads(module, node) : "";
      if (names !== "") this.#add(node, names, "name");
    }
    for (const binding of module.scopes.bindings) this.#addSource(binding);
  }

  /** `props.id` in `resource(() => props.id, load)`, if no `<Await>` with a function as its children shows the resource. */
  #addSource(binding: Binding): void {
    if (this.#module.kind(binding) !== "resource" || mayFetchAgain(this.#module, binding)) return;
    if (this.#module.scopes.bindings.some((one) => this.#module.awaitedValue(one)?.resource === binding)) return;
    const call = initOf(binding);
    const [source] = call?.type === "CallExpression" ? call.arguments : [];
    if (source) this.#add(source, propReads(this.#module, source), "source");
  }

  /** Records an expression of a component that nothing evaluates again. */
  add(expression: Node, kind: KeptPlace["kind"]): void {
    const isText = kind === "code" && isChildrenOfText(this.#module, expression);
    this.#add(expression, propReads(this.#module, expression), isText ? "text" : kind);
  }

  /** Records a `try` that may return, which the browser can't repeat. */
  addTry(block: Node): void {
    this.#add(block, codeReads(this.#module, block).join(" "), "return");
  }

  #add(expression: Node, names: string, kind: KeptPlace["kind"]): void {
    const fn = componentOf(this.#module, expression);
    if (!fn || names === "") return;
    this.#places.add(fn, names, { ...placeAt(this.#module, expression), kind });
  }

  /**
   * Adds to the errors of the module the calls that pass a prop which changes and which the component keeps.
   * @param imported what imported components keep, by local name
   */
  refuseCalls(calls: readonly PropCall[], imported: KeptByName): void {
    this.#places.passOn(calls, imported);
    for (const call of calls) {
      const place = call.from === undefined ? this.#places.placeOf(call, imported) : undefined;
      // An instance that the browser creates fetches again.
      if (place?.kind === "source" && call.isReplaced) continue;
      if (place) this.#module.problems.add(diagnostic(this.#module.file, "SVC121", call.node, messageOf(call, place)));
    }
  }

  /** What exported components keep, by the names of the exports. Complete after `refuseCalls`. */
  get exported(): KeptByName {
    return this.#places.exported;
  }
}

/** Whether an expression is the children of the component, in an element in which the parser takes comments for text. */
function isChildrenOfText(module: Module, expression: Node): boolean {
  if (!isChildren(unwrap(expression), module.scopes)) return false;
  const container = module.parentOf(expression);
  const element = container && module.parentOf(container);
  return element?.type === "JSXElement" && /^(?:title|textarea)$/.test(tagName(element.openingElement.name));
}

const REASONS: Readonly<Record<KeptPlace["kind"], string>> = {
  return:
    "which decides only once which JSX is returned. There, declare state before the first return, or move what follows the return into a component of its own.",
  name: "which gets its value only once, because its code contains JSX or changes an object. There, write that code in the JSX or in a function, and show what the function returns. If the first value is intended, write untrack(() => …).",
  code: "which is rendered only once, because the browser can't run it. If the first value is intended, write untrack(() => …) there.",
  text: "where the parser would take its marks for text. Pass the text as another prop, such as text={`${count.value} items`}, and write {props.text} there. If the first value is intended, write untrack(() => …).",
  once: "which decides only once what is shown. There, choose between several elements by a condition in JSX, such as {props.isOpen ? <A /> : <B />}. If the first value is intended, write untrack(() => …).",
  source:
    "the source of a resource, which the browser doesn't fetch again, because the children of its <Await> are no function. Write them there: <Await value={…}>{(found) => …}</Await>. Or pass the signal itself, and read its value: resource(() => props.id.value, load).",
  provider:
    "the value of a context, which its readers get once. There, pass the signal or computed itself and read its .value where it is shown: const value = computed(() => props.theme), and value={value}.",
  spread:
    "a spread into another component, which keeps the first props. There, write the props by name. If the first values are intended, write {...untrack(() => …)}.",
};

function messageOf({ name, tag }: PropCall, { where, source, kind }: KeptPlace): string {
  return `The prop "${name}" changes in the browser, but <${tag}> shows it by "${source}" (${where}), ${REASONS[kind]}`;
}
