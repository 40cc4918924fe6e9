/** What extraction finds in JSX: the shapes that both emitters (server, browser) walk. */
import type MagicString from "magic-string";
import type { Expression, FunctionNode, Node } from "./parse/ast.ts";
import type { Kind } from "./analyze/declaration-kinds.ts";
import type { Binding } from "./parse/scopes.ts";

/** A piece of generated code: text as it is, or a node whose (edited) source text is kept. */
export type Code = (string | Node)[];

export interface Slot {
  /** Expression that the server evaluates for it. */
  source: string;
  /** Declared with `store(…)`: the scope needs the part `store`. */
  isStore: boolean;
  /** What the name that it begins with is. */
  kind: Kind;
}

/** A handler that an attribute names. */
export interface Handler {
  symbol: string;
  level: number;
  /** One function; several where a component calls `onLoad` more than once. */
  functions: Node[];
  /** The functions take the element alone: callbacks of `onLoad` and `onVisible`. */
  takesElement: boolean;
  /** What it does before the functions run. */
  before: readonly HandlerStep[];
  /** The attribute that names it. */
  attribute: string;
  /** Where it is written; else where its function is. */
  node?: Node;
}

/**
 * `global`: leaves events alone that neither bubble nor happen at the document or window. `once`: takes its attribute away.
 * `stop`: stops the event. `keep`: its element is a bound field, which is read.
 */
export type HandlerStep = "global" | "once" | "stop" | "keep";

/** The function of a list row; inside it `$` is `{ $, i, n }`. `level` 1 is the outermost list. */
export interface Frame {
  fn: FunctionNode;
  level: number;
  /** It is the fallback of an error boundary: its parameters are the error and `reset`. */
  isFallback?: true;
}

/** `const name = resource(source, fetcher)`. */
export interface ResourceCall {
  binding: Binding;
  source: Node;
  fetcher: Node;
}

/** A root template on its way to having code for the browser (docs/resume-protocol.md section 1). */
export interface Scope {
  index: number;
  /** Local edits of the source for this scope's browser code. */
  edits: MagicString;
  slots: Slot[];
  /** How many slots bindings read; they come first. */
  boundCount: number;
  events: Set<string>;
  parts: Set<string>;
  handlers: Handler[];
  effects: Node[];
  resources: ResourceCall[];
  frames: Frame[];
  helpers: Map<Binding, { name: string; code: Code }>;
  /** Reference nodes already rewritten. */
  rewritten: Set<Node>;
  /** Attributes of the root element that `onLoad` and `onVisible` of the component become. */
  hookAttributes: string[];
  /** Content of portals carries a copy of the scope attribute. */
  hasPortals: boolean;
  /** Name of the server constant and bind symbol; set once the browser code is written. */
  block: string | undefined;
  bind: string | undefined;
}

/** Keys of one template, counted from 1. */
export interface Template {
  lastKey: number;
}

export type Attribute =
  | { kind: "static"; html: string }
  | { kind: "value"; name: string; how: AttributeKind; expression: Expression; live: boolean }
  | { kind: "spread"; expression: Node; skip: string[] }
  | FieldAttribute
  /** `ref={…}`: a function that is called, or an object that is filled. */
  | { kind: "ref"; target: Expression; isFunction: boolean };

/** `bind:value={…}`: a field and what it is bound to, both ways. */
export interface FieldAttribute {
  kind: "field";
  property: FieldProperty;
  target: Expression;
  /** What the browser assigns, seen from `target`: nothing for a field of a store, `.value` for a signal. */
  access: "" | ".value";
  /** Source of the field's own value, by which a group knows it. */
  own: string;
}

export type FieldProperty = "value" | "checked" | "group" | "files";

/** `enumerated`: `true` and `false` are both values. */
export type AttributeKind = "plain" | "enumerated" | "url" | "class" | "style" | "property";

export interface Element {
  kind: "element";
  node: Node;
  tag: string;
  scope: Scope | undefined;
  template: Template;
  level: number;
  attributes: Attribute[];
  /** End of the opening tag's last kept expression lies before this offset. */
  items: Item[];
  /** What a `<Portal>` puts elsewhere; this element stands in its stead. */
  portal?: { to: Expression | string | undefined; content: Element };
  /** `dangerouslySetInnerHTML`. */
  rawHtml: { expression: Expression; live: boolean } | undefined;
  key: number | undefined;
  /** What it stands in that is not HTML: made in the browser, it needs that namespace. */
  foreign: "svg" | "math" | undefined;
}

/** A text run that the browser sets as a whole. */
export interface Run {
  kind: "run";
  parts: (string | Expression)[];
  /** The run is everything its element holds. */
  isSole: boolean;
  /** Stands after something that may end in text: the server separates the two. */
  needsSeparator: boolean;
  key: number | undefined;
}

export interface List {
  kind: "list";
  node: Node;
  each: Node;
  by: Node | undefined;
  /** Options of a list of which only some rows are in the page; `true` for the defaults. */
  virtual: Expression | true | undefined;
  row: FunctionNode;
  /** What the row function returns. */
  element: Element;
  level: number;
  isSole: boolean;
  key: number | undefined;
}

/** `test ? whenTrue : otherwise` as a tree; a number is the index of the branch to show, -1 none. */
export type Pick = number | { test: Node; whenTrue: Pick; otherwise: Pick };

export interface Branch {
  kind: "branch";
  node: Node;
  level: number;
  pick: Pick;
  branches: Element[];
  key: number;
}

export type Item =
  | { kind: "text"; html: string; text: string }
  | { kind: "piece"; expression: Node }
  | { kind: "component"; node: Node }
  | Run
  | Element
  | List
  | Branch;
