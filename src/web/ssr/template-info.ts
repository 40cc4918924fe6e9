/** The compiler's description of a template. */

/** Describes a template with browser code. The compiler emits it as a constant of the server module. */
export interface TemplateInfo {
  /** Path of the TSX file, relative to the app's root. */
  moduleId: string;
  /** Export of the chunk that binds the scope, or 0. */
  bind: string | 0;
  events: readonly string[];
  parts: readonly string[];
  /** Name of the component, then the source of each slot. */
  names: readonly string[];
  /** Key -> event type, and a self-contained function that decides whether to prevent the default action. */
  conditions?: Readonly<Record<string, readonly [type: string, test: (...args: never[]) => unknown]>> | undefined;
  /** Whether the browser needs the scope only if a captured value is reactive. */
  isUncertain?: boolean;
  /** What the components use that the browser may create in it, if that may include contexts (resume/context-uses.ts). */
  uses?: (() => readonly [contexts: readonly object[], values: readonly unknown[]]) | undefined;
}
