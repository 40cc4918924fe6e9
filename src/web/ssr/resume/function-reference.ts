/** How the browser creates a value of the server: a function, a computed or JSX. */
import type { TemplateInfo } from "../template-info.ts";

export interface FunctionReference {
  block: TemplateInfo;
  /** Export of the chunk that creates the value from its slots. */
  symbol: string;
  slots: readonly unknown[];
  /** Flags of a handler's attribute, which apply before its code has loaded. */
  flags?: string | undefined;
  /** Those of the handlers that a function returns. */
  madeFlags?: string | undefined;
}
