/** Text between JSX tags and in JSX attributes: white space and entities. Source: the JSX specification, section JSXText. */
import { escapeAttribute } from "../../../platform/shared/html/escape.ts";
import { ENTITIES } from "./entities.ts";

/** Text of a JSXText node after the white-space rule: lines are trimmed and joined by one space, empty lines go. */
export function normaliseText(raw: string): string {
  const lines = raw.split(/\r\n|\n|\r/);
  const kept = lines.map((line, index) => {
    let text = line.replaceAll("\t", " ");
    if (index > 0) text = text.replace(/^ +/, "");
    if (index < lines.length - 1) text = text.replace(/ +$/, "");
    return text;
  });
  return kept.filter((text) => text !== "").join(" ");
}

/** JSX text as HTML. Entities stay as they are; an `&` that does not begin an entity is escaped. */
export function textToHtml(text: string): string {
  return text
    .replaceAll(/&(?!(?:#\d+|#[xX][\da-fA-F]+|[a-zA-Z]\w*);)/g, "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll("\r", "&#13;");
}

export function attributeToHtml(text: string): string {
  return textToHtml(text).replaceAll('"', "&quot;");
}

/** A JavaScript string as an attribute value. */
export function stringToAttribute(text: string): string {
  return escapeAttribute(text);
}

/** JSX text as characters; an unknown named entity stays as written. */
export function decodeEntities(text: string): string {
  return text.replaceAll(/&(#\d+|#[xX][\da-fA-F]+|[a-zA-Z]\w*);/g, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES.get(name) ?? whole;
    const code = /^#[xX]/.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
