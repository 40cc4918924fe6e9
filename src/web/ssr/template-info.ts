/** What the compiler tells of a template: a constant of a server module. */

/** A template with browser code, as the compiler tells it: a constant of a module. */
export interface TemplateInfo {
  /** Path of the TSX file, relative to the app's root. */
  moduleId: string;
  /** Export of the chunk that binds the scope, or 0. */
  bind: string | 0;
  events: readonly string[];
  parts: readonly string[];
  /** Name of the component, then the source of each slot. */
  names: readonly string[];
}
