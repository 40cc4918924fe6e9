/**
 * What is shown of a file that a worker left: a picture, its text, or its first bytes. What it is, its bytes say: the type it was given
 * is anybody's word. Never a document: SVG and HTML are text here. Pure.
 */
import type { Json } from "../../../graph.ts";
import { HEX_BYTES, hexOf, imageTypeOf, MAX_IMAGE_BYTES, type ImageType } from "../bytes.ts";
import { isHiddenKey, payloadView, REDACTED, type RedactOptions } from "./payload.ts";

/** Of a text; JSON is looked through for what is to be hidden, and has to be there as a whole. */
const MAX_TEXT_LENGTH = 8000;

export type Preview =
  | { kind: "image"; type: ImageType }
  | { kind: "text"; text: string; isCut: boolean; redacted: number }
  /** May hold what is to be hidden, and can't be looked through, or not for whoever may look alone. */
  | { kind: "withheld" }
  | { kind: "hex"; text: string; isCut: boolean };

/** Whether somebody with the right to may want to see more of it. */
export function isPartHidden(preview: Preview | undefined): boolean {
  return preview?.kind === "withheld" || (preview?.kind === "text" && preview.redacted > 0);
}

export interface PreviewOptions extends RedactOptions {
  /** Whether it is for operators: they may have all of it as a download, on record. */
  isOperator: boolean;
}

/**
 * Of JSON, and of lines such as `TOKEN=…` or `token: …`, what is to be hidden is. Any other text, a table or bytes can't be looked through
 * for it: who may look alone has them withheld.
 * @param head as much of it as was read, from its beginning
 * @param bytes of all of it
 */
export function previewOf(head: Uint8Array, bytes: number, options: PreviewOptions): Preview {
  const type = imageTypeOf(head);
  if (type !== undefined && bytes <= MAX_IMAGE_BYTES) return { kind: "image", type };
  const isCut = bytes > head.length;
  const text = type === undefined ? textOf(head, isCut) : undefined;
  if (text !== undefined && /^\s*[[{]/.test(text) && !options.isRevealed) return shownJson(text, isCut, options);
  if (!options.isOperator) return { kind: "withheld" };
  if (text === undefined) return { kind: "hex", text: hexOf(head.subarray(0, HEX_BYTES)), isCut: bytes > HEX_BYTES };
  return shownLines(text, isCut, options);
}

function shownJson(text: string, isCut: boolean, options: RedactOptions): Preview {
  const json = isCut ? undefined : jsonOf(text);
  if (json === undefined) return { kind: "withheld" };
  const { raw, redacted } = payloadView(json, options);
  return shownText(raw, false, redacted);
}

/** `TOKEN=…`, `token: …`, `export TOKEN="…"`, `- token: …`: what stands behind the name to the end of the line. Reads each character about once. */
const NAMED_LINE = /^([ \t]*(?:- )?(?:export )?["']?(\w[\w.-]*)["']?[ \t]*[:=][ \t]*)\S.*$/gm;

function shownLines(text: string, isMore: boolean, { keys, isRevealed }: RedactOptions): Preview {
  let redacted = 0;
  const hidden = (line: string, begin: string, name: string): string => {
    if (isRevealed || !isHiddenKey(name, keys)) return line;
    redacted++;
    return `${begin}${REDACTED}`;
  };
  const begin = text.slice(0, MAX_TEXT_LENGTH).replaceAll(NAMED_LINE, hidden);
  return shownText(begin, isMore || text.length > MAX_TEXT_LENGTH, redacted);
}

function shownText(text: string, isMore: boolean, redacted: number): Preview {
  return {
    kind: "text",
    text: text.slice(0, MAX_TEXT_LENGTH),
    isCut: isMore || text.length > MAX_TEXT_LENGTH,
    redacted,
  };
}

/** UTF-8 without control characters other than those of lines. @param isCut whether the last character may be in two */
function textOf(head: Uint8Array, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: isCut });
    // oxlint-disable-next-line no-control-regex
    return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
