/** Writes script elements that the page's CSP allows: by nonce or, on pages that caches share, by hash. */

import type { PageScript } from "../../platform/shared/wire.ts";

export interface InlineOptions {
  /** Read only when the page has a script. Undefined for pages that caches share; their CSP allows scripts by hash. */
  readonly nonce: string | undefined;
  /** Called with each inline script if there is no nonce, so that the caller can hash it. */
  readonly onInline?: (code: string) => void;
}

/** @param code trusted code without `</script` @param attributes HTML with a leading space: ` name="…"` */
export function script({ nonce, onInline }: InlineOptions, code: string, attributes = ""): string {
  if (nonce !== undefined) return `<script${attributes} nonce="${nonce}">${code}</script>`;
  onInline?.(code);
  return `<script${attributes}>${code}</script>`;
}

export function moduleScript({ nonce }: InlineOptions, path: PageScript, attributes = ""): string {
  if (nonce === undefined) return `<script type="module" async src="${path}"${attributes}></script>`;
  return `<script type="module" async nonce="${nonce}" src="${path}"${attributes}></script>`;
}

export function nonceAttribute(nonce: string | undefined): string {
  return nonce === undefined ? "" : ` nonce="${nonce}"`;
}
