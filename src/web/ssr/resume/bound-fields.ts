/** Renders bound fields: `bind:value`, `bind:checked`, `bind:group`. docs/resume-protocol.md section 4. */
import { isSignal } from "../../reactivity/signal.ts";
import { escapeAttribute, escapeText } from "../../../platform/shared/html/escape.ts";
import { SvcError } from "../../../platform/shared/errors.ts";

/** Value of the signal that a field is bound to. @throws SvcError `SVC110` for anything else. */
export function kept(signal: unknown): unknown {
  if (isSignal(signal)) return signal.value;
  throw new SvcError(
    "SVC110",
    `A field is bound to ${signal === null ? "null" : typeof signal}, but only signals can be assigned. Pass a signal, or bind the field of a store: bind:value={form.name}.`,
  );
}

/** Value of the member that a field is bound to. The syntax does not show whether the member has a signal, so the browser looks as well. */
export function keptField(value: unknown): unknown {
  return isSignal(value) ? value.value : value;
}

function holds(value: unknown, own: unknown): boolean {
  return Array.isArray(value) ? value.map(String).includes(String(own)) : String(value) === String(own);
}

/** Returns ` checked` if a member of a group is selected. @param own the member's value */
export function chosen(value: unknown, own: unknown): string {
  return holds(value, own) ? " checked" : "";
}

/** Matches an opening tag as this package writes it, with quoted and escaped attributes, and the text after it. */
const OPTION = /<option((?: [^\s=">]+(?:="[^"]*")?)*)>([^<]*)/g;

/** Adds ` selected` to the selected options of a `<select>`. @param html its content, including options from components and lists */
export function options(value: unknown, html: string): string {
  const wanted = (Array.isArray(value) ? value : [value]).map((item) => String(item ?? ""));
  const asAttributes = new Set(wanted.map(escapeAttribute));
  const asTexts = new Set(wanted.map(escapeText));
  return html.replace(OPTION, (tag: string, attributes: string, text: string) => {
    const own = / value(?:="([^"]*)")?(?= |$)/.exec(attributes);
    const isChosen = own ? asAttributes.has(own[1] ?? "") : asTexts.has(text.trim().replaceAll(/\s+/g, " "));
    return isChosen ? tag.replace("<option", "<option selected") : tag;
  });
}
