/**
 * The preview of an artifact: an image, text, or a hex dump. The bytes determine which, because the declared type is not trustworthy. SVG
 * and HTML are shown as text, never as documents. Pure.
 */
import type { Json } from "../../../graph.ts";
import { HEX_BYTES, hexOf, imageTypeOf, MAX_IMAGE_BYTES, type ImageType } from "../bytes.ts";
import { isHiddenKey, payloadView, REDACTED, type RedactOptions } from "./payload.ts";

/** Maximum length of a text preview. JSON must be complete, so that values can be hidden. */
const MAX_TEXT_LENGTH = 8000;

export type Preview =
  | { kind: "image"; type: ImageType }
  | { kind: "text"; text: string; isCut: boolean; redacted: number }
  /** May contain values to hide, and cannot be searched for them, or only operators may see it. */
  | { kind: "withheld" }
  | { kind: "hex"; text: string; isCut: boolean };

/** Whether revealing could show more of it. */
export function isPartHidden(preview: Preview | undefined): boolean {
  return preview?.kind === "withheld" || (preview?.kind === "text" && preview.redacted > 0);
}

export interface PreviewOptions extends RedactOptions {
  /** Operators may download the complete file, with an audit entry. */
  isOperator: boolean;
}

/**
 * Hides secret values in JSON and in lines such as `TOKEN=…` or `token: …`. Other text, tables and bytes cannot be searched for secrets, so
 * readers do not see them. @param head the first bytes of the file @param bytes size of the file
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

/** `TOKEN=…`, `token: …`, `export TOKEN="…"`, `- token: …`: from the name to the end of the line. Runs in linear time. */
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

/** Decodes UTF-8 without control characters other than whitespace. @param isCut whether the last character may be incomplete */
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
