/** Scripts in a page, and by what the page's policy lets them run: its nonce or, where many share the page, their hashes. */

import type { PageScript } from "../../platform/shared/wire.ts";

export interface InlineOptions {
  /** Read only when the page has a script. Undefined for a page that many share, whose scripts are named by hash. */
  readonly nonce: string | undefined;
  /** Told of each inline script that runs, where there is no nonce. */
  readonly onInline?: (code: string) => void;
}

/** @param code trusted, without `</script` in it @param attributes as written: ` name="…"` */
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
