/**
 * Headers of a request as the object that node:http makes of them, name by name as it has been seen to do: what it does with a
 * name, and with a second header of it, is asked of it once. By itself it finds that out for each header of each request.
 */
import { IncomingMessage } from "node:http";

type Headers = Record<string, string | string[] | undefined>;
type AddLine = (this: { joinDuplicateHeaders: boolean }, name: string, value: string, headers: Headers) => void;

/** What node:http does with one header; not documented, and undefined where a version of it does so in another way. */
const addLine = (IncomingMessage.prototype as unknown as { readonly _addHeaderLine?: AddLine })._addHeaderLine;
/** As our servers have it. */
const OPTIONS = { joinDuplicateHeaders: false };

interface Known {
  /** In lower case. */
  readonly name: string;
  /** Between the values of two; undefined where the first alone counts. */
  readonly separator: string | undefined;
}

/** Names as they were sent. More than any site is sent by browsers; of those beyond each header is left to node:http. */
const MAX_KNOWN = 500;
/** Longer ones are left to it too, so that nobody fills the memory. */
const MAX_LENGTH = 64;
const known = new Map<string, Known | undefined>();

/** @param flat names and values in turns, as they were sent. @returns undefined where that is for node:http to do */
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
  // Such as "constructor", which every object has.
  else if (typeof before !== "string") headers[name] = value;
  else if (separator !== undefined) headers[name] = before + separator + value;
}

/** @returns undefined for a name that is no member of the object, or one of a list. */
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
