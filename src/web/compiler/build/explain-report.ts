/** Data for `svc explain`: the code of a file that runs in the browser, and the values that the page sends for it. */
import { DOM } from "../../../platform/shared/wire.ts";
import type { Module } from "../analyze/analyze.ts";
import type { Node } from "../parse/ast.ts";
import type { ClientModule } from "../emit/client-module.ts";
import { componentName } from "../analyze/components.ts";
import { placeIn } from "../diagnostics.ts";
import { importOf, type Kind } from "../analyze/declaration-kinds.ts";
import type { Element, Scope } from "../model.ts";

export interface FileReport {
  /** Relative to the app's root. */
  file: string;
  components: ComponentReport[];
  /** Names of the module that the chunk imports or copies. */
  imports: { name: string; from: string }[];
  copied: string[];
}

export interface ComponentReport {
  name: string;
  line: number;
  /** Its templates with browser code; none for a component that runs only on the server. */
  templates: TemplateReport[];
}

export interface TemplateReport {
  element: string;
  line: number;
  /** Event types as in the page, including `load` and `visible`. */
  handlers: { event: string; line: number }[];
  /** Number of places that the browser updates. */
  bindings: { what: string; line: number }[];
  /** Values that the page sends. */
  captures: { source: string; as: string; isBound: boolean }[];
  /** Local functions and computeds that the browser creates again. */
  remade: string[];
  /** Parts of the runtime besides core. */
  parts: string[];
}

/** A root template with emitted browser code. */
export interface WrittenTemplate {
  scope: Scope;
  /** Its root element, or the function of a function prop. */
  element: Element | Node;
  component: string;
}

const TRAVEL: Partial<Record<Kind, string>> = {
  signal: "signal: one entry in the page for all that capture it",
  store: "store: one entry in the page for all that capture it",
  ref: "ref: empty in the page, filled when its element's component wakes",
  props: "prop: a signal, store or ref as itself, all else by value",
};
const BY_VALUE = "value: as it was when the component ran; a signal or store as itself";

export function reportOf(module: Module, client: ClientModule, written: readonly WrittenTemplate[]): FileReport {
  const lineOf = (node: Node): number => placeIn(module.file, node.start).line;
  const components = [...module.components].map((fn) => {
    const name = componentName(module, fn);
    const templates = written.filter(({ component }) => component === name).map((item) => templateOf(item, lineOf));
    return { name: name || "(without a name)", line: lineOf(fn), templates };
  });
  return {
    file: module.file.path,
    components: components.sort((left, right) => left.line - right.line),
    imports: client.imports.map(({ local, source }) => ({ name: local, from: source })),
    copied: [...client.taken].filter((binding) => !importOf(binding)).map(({ name }) => name),
  };
}

function templateOf({ scope, element }: WrittenTemplate, lineOf: (node: Node) => number): TemplateReport {
  const bindings: TemplateReport["bindings"] = [];
  const root = "template" in element ? element : undefined;
  const node = "template" in element ? element.node : element;
  if (root) collect(root, bindings, lineOf);
  for (const effect of scope.effects) bindings.push({ what: "effect", line: lineOf(effect) });
  return {
    element: root ? `<${root.tag}>` : "function given to a component",
    line: lineOf(node),
    handlers: scope.handlers.map(({ attribute, functions, node: written }) => {
      return { event: attribute.slice(DOM.on.length), line: lineOf(written ?? functions[0] ?? node) };
    }),
    bindings: bindings.sort((left, right) => left.line - right.line),
    captures: scope.slots.map(({ source, kind }, index) => {
      return { source, as: TRAVEL[kind] ?? BY_VALUE, isBound: scope.bound.has(index) };
    }),
    remade: [...scope.helpers.keys()].map(({ name }) => name),
    parts: [...scope.parts].sort(),
  };
}

/** Bindings at or below an element. */
function collect(element: Element, found: TemplateReport["bindings"], lineOf: (node: Node) => number): void {
  const line = lineOf(element.node);
  for (const attribute of element.attributes) {
    if (attribute.kind === "value" && attribute.live)
      found.push({ what: attribute.name, line: lineOf(attribute.expression) });
    else if (attribute.kind === "field")
      found.push({ what: `bind:${attribute.property}`, line: lineOf(attribute.target) });
    else if (attribute.kind === "ref") found.push({ what: "ref", line: lineOf(attribute.target) });
  }
  if (element.rawHtml?.live) found.push({ what: "HTML", line: lineOf(element.rawHtml.expression) });
  if (element.portal) {
    found.push({ what: "portal", line });
    collect(element.portal.content, found, lineOf);
  }
  for (const item of element.items) {
    if (item.kind === "run") {
      const live = item.parts.find((part) => typeof part !== "string");
      found.push({ what: "text", line: live === undefined || typeof live === "string" ? line : lineOf(live) });
    } else if (item.kind === "list") {
      found.push({ what: "list", line: lineOf(item.node) });
      if (item.element) collect(item.element, found, lineOf);
    } else if (item.kind === "branch") {
      found.push({ what: "condition", line: lineOf(item.node) });
      for (const branch of item.branches ?? []) collect(branch, found, lineOf);
    } else if (item.kind === "element") collect(item, found, lineOf);
  }
}
