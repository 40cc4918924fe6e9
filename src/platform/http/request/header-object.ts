/**
 * Builds the same header object as node:http, faster. Observes once per header name how node:http treats it and its duplicates, and
 * reuses the result. node:http itself looks this up for each header of each request.
 */
import { IncomingMessage } from "node:http";

type Headers = Record<string, string | string[] | undefined>;
type AddLine = (this: { joinDuplicateHeaders: boolean }, name: string, value: string, headers: Headers) => void;

/** node:http's undocumented method for one header; undefined if this version of Node works differently. */
const addLine = (IncomingMessage.prototype as unknown as { readonly _addHeaderLine?: AddLine })._addHeaderLine;
/** The options of svc's servers. */
const OPTIONS = { joinDuplicateHeaders: false };

interface Known {
  /** In lower case. */
  readonly name: string;
  /** Text between repeated values; undefined if only the first value counts. */
  readonly separator: string | undefined;
}

/** Names as sent. More than the browsers of any site send; node:http handles further names. */
const MAX_KNOWN = 500;
/** node:http handles longer names, so that clients cannot fill the memory. */
const MAX_LENGTH = 64;
const known = new Map<string, Known | undefined>();

/** @param flat names and values in turn, as sent. @returns undefined if node:http must build the object */
export function headerObject(flat: readonly string[]): Headers | undefined {
  if (!addLine) return undefined;
  const headers: Headers = {};
  for (let at = 0; at < flat.length; at += 2) {
    const [rawName, value] = [flat[at] as string, flat[at + 1] as string];
    const is = known.get(rawName) ?? meet(addLine, rawName);
    if (is) put(headers, is, value);
    else addLine.call(OPTIONS, rawName, value, headers);
  }
  return headers;
}

function put(headers: Headers, { name, separator }: Known, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  // An inherited property such as "constructor".
  else if (typeof before !== "string") headers[name] = value;
  else if (separator !== undefined) headers[name] = before + separator + value;
}

/** @returns undefined for a name that node:http drops, or collects in a list. */
function meet(add: AddLine, rawName: string): Known | undefined {
  if (rawName.length > MAX_LENGTH || known.size >= MAX_KNOWN || known.has(rawName)) return undefined;
  const headers: Headers = {};
  for (const value of ["1", "2"]) add.call(OPTIONS, rawName, value, headers);
  const [[name, value] = ["", undefined]] = Object.entries(headers);
  const found = typeof value === "string" ? { name, separator: separatorIn(value) } : undefined;
  known.set(rawName, found);
  return found;
}

function separatorIn(joined: string): string | undefined {
  return joined === "1" ? undefined : joined.slice(1, -1);
}
