/** The model of a template: extraction creates it from JSX, and both emitters (server, browser) walk it. */
import type MagicString from "magic-string";
import type { ESTree } from "vite";
import type { Expression, FunctionNode, Node } from "./parse/ast.ts";
import type { Kind } from "./analyze/declaration-kinds.ts";
import type { Binding } from "./parse/scopes.ts";

/** Generated code: strings are copied as they are, and nodes are replaced by their edited source text. */
export type Code = (string | Node)[];

/** A compiled module. */
export interface Output {
  /** TypeScript without JSX. */
  code: string;
  /** Source map (version 3) to the original text, as JSON. */
  map: string;
}

export interface Slot {
  /** Expression that the server evaluates for it. */
  source: string;
  /** Kind of the first name in `source`; `store` also for an item of a store's list. The scope of a store needs the part `store`. */
  kind: Kind;
  /** A place in the source that captures it. */
  node: Node;
  /** The spread whose props it contains, in instances with live props. */
  spread?: SpreadAttribute;
  /** Names of the members that browser code reads; undefined if it uses the value as a whole. */
  members?: Set<string> | undefined;
  /** Whether code uses it that may need other members than those that bindings show: a handler or a component in created content. */
  isWhole?: true;
  /** Whether it contains the view of a component's children. Otherwise children are their parts that change. */
  isView?: true;
}

/** A handler that a component gets. The function knows the flags that apply before its code arrives. */
export interface GivenHandler {
  expression: Node;
  /** Whether the function returns the handler. */
  isMade: boolean;
  /** The position in the HTML of the attribute. */
  at: number;
}

/** An event handler that an attribute refers to. */
export interface Handler {
  symbol: string;
  level: number;
  /** Usually one function. Several if a component calls `onLoad` more than once. */
  functions: Node[];
  /** The functions receive only the element, as callbacks of `onLoad` and `onVisible` do. */
  takesElement: boolean;
  /** Steps that run before the functions. */
  before: readonly HandlerStep[];
  /** Source of a function that decides whether to prevent the default action, if the page does not evaluate it. */
  condition?: string;
  /** Name of the attribute. */
  attribute: string;
  /** Its position for source maps. Default: the position of its function. */
  node?: Node;
}

/**
 * `global` ignores events that neither bubble nor occur at the document or window. `within` ignores events outside of the element. `once` removes the attribute. `stop` stops
 * propagation. `keep` reads the bound field that the handler belongs to.
 */
export type HandlerStep = "global" | "within" | "once" | "stop" | "keep";

/** The function of a list row; inside it `$` is `{ $, i, n }`. `level` 1 is the outermost list. */
export interface Frame {
  fn: FunctionNode;
  level: number;
  /** Set for the fallback of an error boundary, whose parameters are the error and `reset`. */
  isFallback?: true;
}

/** `const name = resource(source, fetcher)`. */
export interface ResourceCall {
  binding: Binding;
  source: Node;
  fetcher: Node;
}

/** A name that an `<Await>` gives its children. */
export interface AwaitedName {
  /** The parameter that contains it. */
  pattern: Node;
  name: string;
  /** Source and fetcher of the resource; empty if another component fetches it. */
  fetch: readonly Node[];
  symbol: string;
  /** Names that the parameter declares. */
  declares: ReadonlySet<Binding>;
}

/** The browser side of a root template (docs/resume-protocol.md section 1). */
export interface Scope {
  index: number;
  /** Edits of the source text for the browser code of this scope. */
  edits: MagicString;
  slots: Slot[];
  /** Indices of the slots that bindings read. */
  bound: Set<number>;
  /** Whether the browser needs the scope even if no captured value is reactive, as for an effect, a ref or a bound field. */
  isNeeded: boolean;
  events: Set<string>;
  /** Key -> event type and source of a condition of `preventDefault`. */
  conditions: Map<string, readonly [type: string, text: string]>;
  parts: Set<string>;
  handlers: Handler[];
  effects: Node[];
  resources: ResourceCall[];
  frames: Frame[];
  /** `reads`: indices of the slots that the code reads. */
  helpers: Map<Binding, { name: string; code: Code; reads: Set<number> }>;
  /** Reference nodes that are rewritten already. */
  rewritten: Set<Node>;
  /** Components and other values of modules, with JSX, that the browser creates. */
  creates: Set<Binding>;
  /** Attributes of the root element for the component's `onLoad` and `onVisible` calls. */
  hookAttributes: string[];
  /** Whether its code is inside the component's own function, where names keep their values (emit-create.ts). */
  isClosure: boolean;
  /** Code of names that are props, in such a function. */
  propCodes: ReadonlyMap<Binding, string>;
  /** Whether a portal is inside. The content of portals has a copy of the scope attribute. */
  hasPortals: boolean;
  /** Name of the server constant and bind symbol; set once the browser code is written. */
  block: string | undefined;
  bind: string | undefined;
  /** Slots that the code being emitted reads, if that is recorded. */
  read: Set<Slot> | undefined;
  /** What a scope needs if props of its component are derived values (emit-live-props.ts). */
  live: LiveScope | undefined;
}

/** The code of a scope for an instance of its component that has live props. */
export interface LiveScope {
  /** Name of the server constant. */
  block: string;
  /** Code of the component's props object. */
  props: string;
  /** Code of an object that has live props if `props` has some. */
  given: string;
  /** Indices of the slots that bindings read. */
  bound: ReadonlySet<number>;
  /** Names of props, separated by spaces, for each bit of the mask that says which bindings the instance has. */
  conditions: readonly string[];
  /** Code of each slot. */
  slots: readonly string[];
  /** Code of other conditions under which an instance needs the scope. */
  also: readonly string[];
}

/** A scope without code. @param edits a copy of the source */
export function newScope(index: number, edits: Scope["edits"]): Scope {
  return {
    index,
    edits,
    slots: [],
    bound: new Set(),
    isNeeded: false,
    events: new Set(),
    conditions: new Map(),
    parts: new Set(),
    handlers: [],
    effects: [],
    resources: [],
    frames: [],
    helpers: new Map(),
    rewritten: new Set(),
    creates: new Set(),
    hookAttributes: [],
    isClosure: false,
    propCodes: new Map(),
    hasPortals: false,
    block: undefined,
    bind: undefined,
    read: undefined,
    live: undefined,
  };
}

/** Keys of one template, counted from 1. */
export interface Template {
  lastKey: number;
}

export type Attribute =
  | { kind: "static"; html: string; handler?: GivenHandler }
  | ValueAttribute
  | SpreadAttribute
  | FieldAttribute
  /** `ref={…}`: a function that is called, or an object that is filled. */
  | { kind: "ref"; target: Expression; isFunction: boolean; isCreated: boolean }
  /** `autofocus` of an element that the browser may create, where browsers ignore the attribute. */
  | { kind: "autofocus" };

/** `{...props}`. */
export interface SpreadAttribute {
  kind: "spread";
  expression: Node;
  skip: string[];
  tag: string;
  /** Whether the browser writes it. */
  live: boolean;
  /** Name on the server of the object that a call makes. The root template calls it once. */
  once?: string;
  /** Server code of a function that returns the derived value of such a call. */
  again?: string;
  /** Symbol that makes the props of the component which the browser binds. */
  own?: string;
}

export interface ValueAttribute {
  kind: "value";
  name: string;
  how: AttributeKind;
  expression: Expression;
  live: boolean;
  /** Names of the props that an attribute reads, separated by spaces, if it is live only for live props. */
  props?: string;
}

/** `bind:value={…}`: a two-way binding of a field. */
export interface FieldAttribute {
  kind: "field";
  property: FieldProperty;
  target: Expression;
  /** Suffix of `target` in assignments: `.value` for a signal, empty for a member. The member may have a signal, which only running code finds. */
  access: "" | ".value";
  /** Source of the field's own value, which identifies it in a group. */
  own: string;
}

/** Name of an attribute before a spread that the spread may override: one that only the server writes. */
export function spreadName(attribute: Attribute): string | undefined {
  if (attribute.kind === "value") return attribute.live ? undefined : attribute.name;
  const name = attribute.kind === "static" ? /^ ([^\s=]+)/.exec(attribute.html)?.[1] : undefined;
  return name?.startsWith("on:") ? undefined : name;
}

export type FieldProperty = "value" | "checked" | "group" | "files";

/** `enumerated`: both `true` and `false` are written as values. `…-member`: a name or id that may hide a member of a form or of `document`. */
export type AttributeKind =
  | "plain"
  | "enumerated"
  | "url"
  | "form-member"
  | "document-member"
  | "class"
  | "style"
  | "property";

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
  /** Content that a `<Portal>` moves elsewhere. This element is its placeholder. */
  portal?: { to: Expression | string | undefined; content: Element };
  /** `dangerouslySetInnerHTML`. */
  rawHtml: { expression: Expression; live: boolean; props?: string } | undefined;
  /** Its content as one text, if it can't contain comments and reads props. */
  liveText?: { run: Run; props?: string };
  /** A text is written only for instances with live props. */
  key: number | string | undefined;
  /** The foreign content around it. An element that the browser creates needs its namespace. */
  foreign: "svg" | "math" | undefined;
  /** Handlers of an element that the browser creates in a view. The browser attaches them when it creates the element. */
  created: Handler[];
}

/** Adjacent texts and expressions that the browser updates as one text node. */
export interface Run {
  kind: "run";
  parts: (string | Expression)[];
  /** Whether the run is the only content of its element. */
  isSole: boolean;
  /** Whether the previous item may end in text. The server then writes a separator between them. */
  needsSeparator: boolean;
  key: number | undefined;
}

export interface List {
  kind: "list";
  node: Node;
  each: Node;
  /** Code before and behind the source of `each`. */
  before: string;
  behind: string;
  by: Node | undefined;
  /** Whether the index identifies a row that has no key. */
  isByIndex: boolean;
  /** Options of a virtual list, which renders only the visible rows. `true`: the defaults. */
  virtual: Expression | true | undefined;
  row: FunctionNode;
  /** The element that the row function returns; undefined if a row is a range of nodes, which may contain components. */
  element: Element | undefined;
  level: number;
  isSole: boolean;
  /** A text is written only for instances with live props. */
  key: number | string | undefined;
}

/** What the server writes once, unless it reads a live prop. */
export interface Piece {
  kind: "piece";
  expression: Node;
  /** What decides which component it shows, if props do. */
  choice?: readonly Node[];
  /** Names of the props that it reads, separated by spaces. */
  props?: string;
  /** Key of the comment behind it, for instances with live props. */
  key?: string;
  /** The list that it is, if it reads live props. */
  rows?: List;
  /** Number of the part of a component's children that it is. */
  part?: number;
  /** Server code of the attribute of a scope of its own, if it changes and is in no element of its component. */
  host?: string | undefined;
}

/**
 * `test ? whenTrue : otherwise` or `value || otherwise` as a tree; a number is the index of the branch to show, -1 none. `value` is the
 * index of an expression among the contents. `equals`: the test is whether both have the same value, as in a `switch`.
 */
export type Pick =
  | number
  | { test: Node; equals?: Node; whenTrue: Pick; otherwise: Pick }
  | { value: number; operator: "||" | "??"; otherwise: Pick };

export interface Branch {
  kind: "branch";
  node: Node;
  level: number;
  pick: Pick;
  /** Elements of the branches; undefined if they are ranges of nodes, which may contain components. */
  branches: Element[] | undefined;
  /** What the branches show. */
  contents: Node[];
  key: number;
}

/** An expression in a created view that may have JSX as its value. */
export interface Insert {
  kind: "insert";
  expression: Expression;
  /** Whether it is the only content of its element. */
  isSole: boolean;
  /** Key of the comment that it replaces. */
  key: number;
}

export type Item =
  | { kind: "text"; html: string; text: string }
  | Piece
  /** `key`: of the comment after it, in a row or branch, where the browser may create it. */
  | { kind: "component"; node: ESTree.JSXElement; key: number | undefined }
  | Insert
  | Run
  | Element
  | List
  | Branch;

/** Which bindings of live props are emitted, and when they run. */
export interface PropConditions {
  /** Slot that contains the mask of conditions. */
  readonly maskSlot: number;
  /** The bit of the mask under which a binding runs. @param read slots of the binding */
  bitOf(props: string, read: ReadonlySet<Slot>): number;
  /** Whether any component receives one of these props as a live one. */
  isWanted(props: string): boolean;
}
