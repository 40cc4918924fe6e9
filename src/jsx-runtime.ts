/** `svckit/jsx-runtime`: the types of JSX, and the functions that compiled modules call. App code uses only the types. */
import type { Child, Markup } from "./web/jsx/element.ts";
import type { IntrinsicElements as HostElements } from "./web/jsx/intrinsic.ts";
import { SvcError } from "./platform/shared/errors.ts";

export { block, component, made, madeIn, scope } from "./web/ssr/compiled.ts";
export { chosen, kept, keptField, options } from "./web/ssr/resume/bound-fields.ts";
export { unique } from "./web/ssr/resume/unique-rows.ts";
export { virtual } from "./web/ssr/resume/virtual-rows.ts";
export { once, still, stillWhole } from "./web/ssr/resume/store-prop-reads.ts";
export { uses } from "./web/ssr/resume/context-uses.ts";
export {
  derive,
  deriveIf,
  deriveRead,
  CALLED,
  CALLED_FOR_STORE,
  frozen,
  hosted,
  LIVE,
  live,
  livePart,
  liveRange,
  liveRow,
  liveRows,
  liveScope,
  prop,
  wholeProps,
} from "./web/ssr/resume/live-props.ts";
export { held, passedState, withMembers } from "./web/ssr/resume/held-state.ts";
export { bindsSome, boundOver, boundProps, boundSpread, handled } from "./web/ssr/resume/spread-props.ts";
export {
  flagged,
  flagsOf,
  fn,
  getter,
  lift,
  madeFlagsOf,
  moduleValue,
  view,
  wrapped,
} from "./web/ssr/resume/function-props.ts";
export {
  effectOfComponent as effect,
  effectOfHook as hookEffect,
  loadOfHook as hookLoad,
} from "./web/ssr/resume/effect.ts";
export { only } from "./web/ssr/resume/only-members.ts";
export { resourceOfHook as hookResource } from "./web/ssr/resume/resource.ts";
export { portal } from "./web/ssr/components/portal.ts";
export { named } from "./web/ssr/components/slot.ts";
export { outlet } from "./web/ssr/components/outlet.ts";
export { sendForms } from "./web/ssr/components/form-script.ts";
export { fileUrl } from "./web/ssr/file-url.ts";
export { html } from "./web/ssr/html.ts";
export { raw } from "./web/ssr/raw-html.ts";
export { a, at, dm, en, fixed, fm, over, spread, t, url } from "./web/ssr/write.ts";
export { classText as cls, styleText as sty } from "./platform/shared/html/class-style.ts";
export type { Child } from "./web/jsx/element.ts";

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
    /** On a direct child of a component: the name of the component's `<Slot>` in which to show it. */
    slot?: string;
  }
  type IntrinsicElements = HostElements;
}

function uncompiled(): never {
  throw new SvcError(
    "SVC_DEFINITION",
    'JSX ran without being compiled. "svc dev" and "svc build" compile .tsx files. With another bundler, add the plugin of "svckit/compiler".',
  );
}

/** TypeScript requires these exports. The compiler replaces all calls of them. */
export { uncompiled as jsx, uncompiled as jsxs, uncompiled as jsxDEV };

/**
 * The component behind `<>…</>`, for fragments with a name.
 * @example
 * <Fragment>
 *   <dt>Name</dt>
 *   <dd>Ada</dd>
 * </Fragment>
 */
export function Fragment(props: { children?: Child }): Child {
  return props.children;
}
