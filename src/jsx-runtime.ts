/** `svc/jsx-runtime`: the types of JSX, and what compiled modules call. Authors import only the types. */
import type { Child, Markup } from "./jsx/element.ts";
import type { IntrinsicElements as HostElements } from "./jsx/intrinsic.ts";
import { SvcError } from "./shared/errors.ts";

export { block, component, made, scope } from "./ssr/compiled.ts";
export { chosen, kept, options } from "./ssr/fields.ts";
export { unique } from "./ssr/unique-rows.ts";
export { virtual } from "./ssr/virtual.ts";
export { still } from "./ssr/still-reads.ts";
export { fn } from "./ssr/function-props.ts";
export { effectOfComponent as effect } from "./ssr/effect.ts";
export { portal } from "./ssr/portals.ts";
export { named } from "./ssr/slot.ts";
export { outlet } from "./ssr/outlet.ts";
export { sendForms } from "./ssr/form-script.ts";
export { html } from "./ssr/html.ts";
export { a, at, en, fixed, spread, t, url } from "./ssr/write.ts";
export { classText as cls, styleText as sty } from "./shared/class-style.ts";
export type { Child } from "./jsx/element.ts";

/** The names TypeScript looks up for JSX (TypeScript handbook, "JSX"). */
export declare namespace JSX {
  type Element = Markup;
  type ElementType = keyof HostElements | ((props: never) => Child);
  interface ElementChildrenAttribute {
    children: unknown;
  }
  interface IntrinsicAttributes {
    /** Identity of a row in a list. */
    key?: string | number;
    /** Directly in a component: the `<Slot>` of that component in which this is shown. */
    slot?: string;
  }
  type IntrinsicElements = HostElements;
}

function uncompiled(): never {
  throw new SvcError(
    "SVC_DEFINITION",
    'JSX was run without being compiled: "svc dev" and "svc build" compile .tsx files; in another bundler add the plugin of "svc/compiler".',
  );
}

/** TypeScript wants them to be there; the compiler leaves no call of them. */
export { uncompiled as jsx, uncompiled as jsxs, uncompiled as jsxDEV, uncompiled as Fragment };
