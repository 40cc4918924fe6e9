/**
 * Writes HTML that the app trusts (`dangerouslySetInnerHTML`), without attributes of the resume protocol and names that hide members of
 * `document`. Code of scripts stays as it is, because its characters are not decoded.
 */
import { FORM_PROPERTIES } from "../../platform/shared/html/hidden-members.ts";
import { inertHtml } from "../../platform/shared/html/raw-html.ts";
import { isDocumentMember } from "./document-members.ts";

/** Raw HTML may be inside of a form, so a name must not hide its members either. */
const isMember = (value: string, isName: boolean): boolean =>
  isDocumentMember(value) || (isName && FORM_PROPERTIES.has(value));

/** Start of a comment (which may end at the next `>`), or of a tag with its name. */
const OPEN = /<(?:(!--)|[!?]|\/[^a-z]|(\/?[a-z][^\s/>]*))/gi;
/** An attribute with what precedes it. */
const ATTRIBUTE = /[\s/]*(?:[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>][^\s>]*)?)?)?/y;
const COMMENT_END = /--!?>/g;
const TEXT_ELEMENT = /^(?:textarea|title|style|xmp|iframe|noembed|noframes|noscript|plaintext)$/;

/** @param given as for React. A script that is not certainly one counts as markup. */
export function raw({ __html: given }: { readonly __html: unknown }): string {
  const html = String(given);
  // In SVG, text that looks like a script; in HTML, a comment.
  if (!/<script/i.test(html) || html.includes("<![CDATA[")) return inertHtml(html, isMember);
  let out = "";
  let from = 0;
  for (const { start, end } of scriptsIn(html)) {
    out += inertHtml(html.slice(from, start), isMember) + html.slice(start, end);
    from = end;
  }
  return out + inertHtml(html.slice(from), isMember);
}

/** Code of the scripts, between their tags. */
function* scriptsIn(html: string): Generator<{ start: number; end: number }> {
  for (let at = 0; at < html.length;) {
    OPEN.lastIndex = at;
    const open = OPEN.exec(html);
    if (!open) return;
    const [, comment, tag] = open;
    const name = tag?.toLowerCase();
    if (comment !== undefined) at = afterComment(html, OPEN.lastIndex);
    else if (name === undefined) at = after(html, ">", OPEN.lastIndex - 1);
    else {
      at = afterTag(html, OPEN.lastIndex);
      if (name === "script") {
        const start = at;
        at = endOf(html, name, at);
        yield { start, end: at };
      } else if (TEXT_ELEMENT.test(name)) at = endOf(html, name, at);
    }
  }
}

function after(html: string, sought: string, from: number): number {
  const found = html.indexOf(sought, from);
  return found < 0 ? html.length : found + sought.length;
}

function afterComment(html: string, from: number): number {
  const short = /^-?>/.exec(html.slice(from, from + 2));
  if (short) return from + short[0].length;
  COMMENT_END.lastIndex = from;
  return COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length;
}

function afterTag(html: string, from: number): number {
  for (let at = from; ;) {
    ATTRIBUTE.lastIndex = at;
    ATTRIBUTE.test(html);
    if (ATTRIBUTE.lastIndex <= at) return after(html, ">", at);
    at = ATTRIBUTE.lastIndex;
  }
}

/** Start of the end tag of a text element. */
function endOf(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}
