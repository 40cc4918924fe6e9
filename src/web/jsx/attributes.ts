/** Attributes of HTML elements, spelled as in HTML: lower case, `class` and `for`. Source: WHATWG HTML, WAI-ARIA 1.2. */
import type { Signal } from "../reactivity/signal.ts";
import type { ClassValue, StyleValue } from "../../platform/shared/html/class-style.ts";
import type { AriaAttributes } from "./aria.ts";
import type { Child } from "./element.ts";
import type { EventHandlers } from "./events.ts";
import type { Ref } from "./ref.ts";

/** `null`, `undefined` and `false` omit the attribute. */
export type Text = string | number | null | undefined | false;
/** `true` writes the name without a value. */
export type Flag = boolean | null | undefined;
/** Attributes for which `"true"` and `"false"` are both values. */
export type Enumerated = boolean | "true" | "false" | null | undefined;

/** HTML that is written without escaping. The caller is responsible for its safety. */
export interface RawHtml {
  __html: string;
}

/** For objects of this type. In JSX, TypeScript checks hyphenated names only if they are declared one by one. */
export type DataAttributes = {
  [Name in `data-${string}`]?: string | number | boolean | null | undefined;
};

/** Attributes of every HTML element. */
export interface GlobalAttributes<Target = Element> extends EventHandlers<Target>, AriaAttributes, DataAttributes {
  accesskey?: Text;
  autocapitalize?: "off" | "none" | "on" | "sentences" | "words" | "characters" | null | undefined;
  autofocus?: Flag;
  children?: Child;
  /** Names, or an array or object of conditions: `["row", { done: todo.done }]`. */
  class?: ClassValue;
  contenteditable?: Enumerated | "plaintext-only";
  /** Neither checked nor escaped. */
  dangerouslySetInnerHTML?: RawHtml | undefined;
  dir?: "ltr" | "rtl" | "auto" | null | undefined;
  draggable?: Enumerated;
  enterkeyhint?: "enter" | "done" | "go" | "next" | "previous" | "search" | "send" | null | undefined;
  hidden?: Flag | "until-found";
  id?: Text;
  inert?: Flag;
  inputmode?: "none" | "text" | "tel" | "url" | "email" | "numeric" | "decimal" | "search" | null | undefined;
  is?: string;
  /** Identity of a row in a list; not written into the page. Default: the item itself. */
  key?: string | number;
  itemid?: Text;
  itemprop?: Text;
  itemref?: Text;
  itemscope?: Flag;
  itemtype?: Text;
  lang?: Text;
  nonce?: Text;
  part?: Text;
  popover?: Flag | "auto" | "manual" | "hint";
  /** An object or a function that receives the element when the component wakes in the browser, before its effects and handlers run. */
  ref?: Ref<Target> | ((element: Target) => unknown) | undefined;
  role?: Text;
  slot?: Text;
  spellcheck?: Enumerated;
  /** Text, or an object of properties. Numbers get no unit. */
  style?: StyleValue;
  tabindex?: Text;
  title?: Text;
  translate?: "yes" | "no" | null | undefined;
}

interface LinkAttributes {
  href?: Text;
  hreflang?: Text;
  referrerpolicy?: ReferrerPolicy | null | undefined;
  rel?: Text;
  type?: Text;
}

interface MediaAttributes {
  autoplay?: Flag;
  controls?: Flag;
  crossorigin?: "" | "anonymous" | "use-credentials" | null | undefined;
  loop?: Flag;
  muted?: Flag;
  preload?: "none" | "metadata" | "auto" | null | undefined;
  src?: Text;
}

interface FieldAttributes {
  autocomplete?: Text;
  disabled?: Flag;
  form?: Text;
  name?: Text;
  readonly?: Flag;
  required?: Flag;
}

interface SubmitAttributes {
  formaction?: Text;
  formenctype?: Text;
  formmethod?: "get" | "post" | "dialog" | null | undefined;
  formnovalidate?: Flag;
  formtarget?: Text;
}

interface PopoverAttributes {
  popovertarget?: Text;
  popovertargetaction?: "show" | "hide" | "toggle" | null | undefined;
}

interface SizeAttributes {
  height?: Text;
  width?: Text;
}

interface CellAttributes {
  colspan?: Text;
  headers?: Text;
  rowspan?: Text;
}

/** The target of a two-way binding: a signal, its `.value`, or a field of a store. */
export type Bindable<T> = Signal<T> | T;

/** Written as text. The stored value is text, or for number and range inputs a number or `null`. */
type FieldValue = Bindable<string | number | null | undefined>;

interface InputAttributes extends FieldAttributes, SubmitAttributes, PopoverAttributes, SizeAttributes {
  accept?: Text;
  alt?: Text;
  /** Two-way: whether a checkbox is checked. */
  "bind:checked"?: Bindable<boolean | null | undefined>;
  /** The files that the user picked; one-way, from the field to the signal. Empty on the server: `signal<File[]>([])`. */
  "bind:files"?: Bindable<readonly File[]>;
  /** Two-way: the value of the chosen radio button, or the list of the chosen checkboxes' values. */
  "bind:group"?: Bindable<string | null | undefined> | Bindable<readonly string[]>;
  /** Two-way: the value of the field. */
  "bind:value"?: FieldValue;
  capture?: "user" | "environment" | null | undefined;
  checked?: Flag;
  dirname?: Text;
  /** Only a property; HTML has no attribute for it. */
  indeterminate?: Flag;
  list?: Text;
  max?: Text;
  maxlength?: Text;
  min?: Text;
  minlength?: Text;
  multiple?: Flag;
  pattern?: Text;
  placeholder?: Text;
  size?: Text;
  src?: Text;
  step?: Text;
  type?: Text;
  value?: Text;
}

/** Attributes of certain elements besides the global ones, by tag. */
export interface OwnAttributes {
  a: LinkAttributes & { download?: Text | true; ping?: Text; target?: Text };
  area: LinkAttributes & { alt?: Text; coords?: Text; download?: Text | true; shape?: Text; target?: Text };
  audio: MediaAttributes;
  base: { href?: Text; target?: Text };
  blockquote: { cite?: Text };
  button: FieldAttributes &
    SubmitAttributes &
    PopoverAttributes & {
      command?: Text;
      commandfor?: Text;
      type?: "submit" | "reset" | "button" | null | undefined;
      value?: Text;
    };
  canvas: SizeAttributes;
  col: { span?: Text };
  colgroup: { span?: Text };
  data: { value?: Text };
  del: { cite?: Text; datetime?: Text };
  details: { name?: Text; open?: Flag };
  dialog: { closedby?: Text; open?: Flag };
  embed: SizeAttributes & { src?: Text; type?: Text };
  fieldset: { disabled?: Flag; form?: Text; name?: Text };
  form: {
    "accept-charset"?: Text;
    action?: Text;
    autocomplete?: Text;
    enctype?: "application/x-www-form-urlencoded" | "multipart/form-data" | "text/plain" | null | undefined;
    method?: "get" | "post" | "dialog" | null | undefined;
    name?: Text;
    novalidate?: Flag;
    rel?: Text;
    target?: Text;
  };
  iframe: SizeAttributes & {
    allow?: Text;
    allowfullscreen?: Flag;
    loading?: "eager" | "lazy" | null | undefined;
    name?: Text;
    referrerpolicy?: ReferrerPolicy | null | undefined;
    sandbox?: Text | true;
    // No `srcdoc`: even when escaped for the attribute it is parsed as HTML that runs with the page's rights. Use `src`.
    src?: Text;
  };
  img: SizeAttributes & {
    alt?: Text;
    crossorigin?: MediaAttributes["crossorigin"];
    decoding?: "sync" | "async" | "auto" | null | undefined;
    fetchpriority?: "high" | "low" | "auto" | null | undefined;
    ismap?: Flag;
    loading?: "eager" | "lazy" | null | undefined;
    referrerpolicy?: ReferrerPolicy | null | undefined;
    sizes?: Text;
    src?: Text;
    srcset?: Text;
    usemap?: Text;
  };
  input: InputAttributes;
  ins: { cite?: Text; datetime?: Text };
  label: { for?: Text };
  li: { value?: Text };
  link: LinkAttributes & {
    as?: Text;
    crossorigin?: MediaAttributes["crossorigin"];
    integrity?: Text;
    media?: Text;
    sizes?: Text;
  };
  map: { name?: Text };
  meta: { charset?: Text; content?: Text; "http-equiv"?: Text; media?: Text; name?: Text; property?: Text };
  meter: { form?: Text; high?: Text; low?: Text; max?: Text; min?: Text; optimum?: Text; value?: Text };
  object: SizeAttributes & { data?: Text; form?: Text; name?: Text; type?: Text };
  ol: { reversed?: Flag; start?: Text; type?: Text };
  optgroup: { disabled?: Flag; label?: Text };
  option: { disabled?: Flag; label?: Text; selected?: Flag; value?: Text };
  output: { for?: Text; form?: Text; name?: Text };
  progress: { max?: Text; value?: Text };
  q: { cite?: Text };
  script: {
    async?: Flag;
    crossorigin?: MediaAttributes["crossorigin"];
    defer?: Flag;
    integrity?: Text;
    nomodule?: Flag;
    src?: Text;
    type?: Text;
  };
  select: FieldAttributes & {
    /** Two-way: value of the chosen option; with `multiple` a list of values. */
    "bind:value"?: FieldValue | Bindable<readonly string[]>;
    multiple?: Flag;
    size?: Text;
    /** Value of the chosen option. The page updates it when its expression changes; use `bind:value` for both ways. */
    value?: Text;
  };
  slot: { name?: Text };
  source: SizeAttributes & { media?: Text; sizes?: Text; src?: Text; srcset?: Text; type?: Text };
  style: { media?: Text };
  td: CellAttributes;
  template: { shadowrootmode?: "open" | "closed" | null | undefined };
  textarea: FieldAttributes & {
    /** Two-way: the text of the field. */
    "bind:value"?: Bindable<string | null | undefined>;
    cols?: Text;
    maxlength?: Text;
    minlength?: Text;
    placeholder?: Text;
    rows?: Text;
    value?: Text;
    wrap?: "hard" | "soft" | null | undefined;
  };
  th: CellAttributes & { abbr?: Text; scope?: "row" | "col" | "rowgroup" | "colgroup" | null | undefined };
  time: { datetime?: Text };
  track: { default?: Flag; kind?: Text; label?: Text; src?: Text; srclang?: Text };
  video: MediaAttributes & SizeAttributes & { playsinline?: Flag; poster?: Text };
}

/** SVG and MathML have hundreds of text attributes, so any name in lower or camel case is accepted. */
export interface ForeignAttributes<Target> extends Omit<GlobalAttributes<Target>, never> {
  /** Use the HTML name of the attribute: `class`. */
  className?: never;
  /** Use `for`. */
  htmlFor?: never;
  [name: string]: unknown;
}
