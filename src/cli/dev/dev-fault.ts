/** Turns an error into the fault that the developer sees: position in the source, code frame, calls of the app's own code. */
import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { DevFault, Place } from "../../platform/shared/dev-fault.ts";
import { errorName, ERRORS, type ErrorCode } from "../../platform/shared/errors.ts";
import { placeInComponent } from "../build/find-source.ts";
import { codeFrame, offsetOf, positionOf } from "../../web/compiler/diagnostics.ts";
import { BROWSER_GLOBALS } from "../../web/compiler/analyze/browser-globals.ts";
import { splitMessage } from "../../web/compiler/problems.ts";

/** A line of a stack trace: in V8 `at name (file:line:column)`, in other browsers `name@file:line:column`. */
const CALL =
  /^\s*(?:at (?:async )?)?(?:(.*?) ?[(@])?((?:file:\/\/|https?:\/\/|\/|[A-Za-z]:[\\/])[^()]*?):(\d+):(\d+)\)?$/;
/**
 * Message of the compiler: `SVC101 pages/home.tsx:3:5`, the problem, and the frame.
 * The frame is source code only, so the closing reference to docs/errors.md stays out of it.
 */
const DIAGNOSTIC = /^(SVC[\dA-Z_]+) (.+?):(\d+):(\d+)\n([^]*?)\n\n([^]*?)(?:\n\nSee SVC[^\n]*)?$/;

/** Message from rendering, with a position: `SVC202 pages/home.tsx:3:5`, and the problem. */
const PLACED = /^(SVC[\dA-Z_]+) (\S+?):(\d+):(\d+)\n([^]*)$/;
/** Message from rendering, with a piece of the component's source: `SVC201 pages/home.tsx: "user" of Home`. */
const WRITTEN = /^(SVC[\dA-Z_]+) (?:(\S+): )?"((?:[^"\\]|\\.)*)" of (\w+)\n([^]*)$/;

/** Message of fullstack/modules.ts: `pages/about.tsx must have a function …`. */
const PAGE = /^(pages\/\S+\.[jt]sx?) (?:must have|exports) /;

/** Maps a position of running code to the source; undefined for code that is not the app's. */
export type Trace = (
  file: string,
  line: number,
  column: number,
) => { file: string; line: number; column: number } | undefined;

/** The known facts of an error, from the server or a browser. */
export interface Thrown {
  name: string;
  message: string;
  stack: string;
}

export function thrownOf(error: unknown): Thrown {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), stack: "" };
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return { name: code, message: error.message, stack: error.stack ?? "" };
}

/** @param root folder of the app. */
export function faultOf(kind: DevFault["kind"], thrown: Thrown, root: string, trace: Trace): DevFault {
  const [compileFault, ...others] = splitMessage(thrown.message).flatMap((message) => ofCompiler(message) ?? []);
  if (compileFault) return others.length === 0 ? compileFault : { ...compileFault, others };
  const written = ofRendering(thrown.message, root);
  if (written)
    return {
      kind,
      calls: [],
      ...written,
      name: nameOf(written.code),
      frame: written.place && frameAt(written.place, root),
    };
  // Some messages begin with their code, which the overlay shows on its own.
  const message = thrown.message.replace(new RegExp(`^${thrown.name}:? `), "") + hintFor(kind, thrown);
  const [first, ...calls] = callsOf(thrown.stack, root, trace);
  const page = placeOfPage(message, root);
  const place = page ?? first?.place;
  return { kind, code: thrown.name, message, place, frame: place && frameAt(place, root), calls: page ? [] : calls };
}

/** Name of a numbered code. */
function nameOf(code: string): string | undefined {
  return Object.hasOwn(ERRORS, code) ? errorName(code as ErrorCode) : undefined;
}

/** Reads an error of the compiler. */
function ofCompiler(text: string): DevFault | undefined {
  const found = DIAGNOSTIC.exec(text);
  if (!found) return undefined;
  const [, code = "", file = "", line, column, message = "", frame = ""] = found;
  const place = { file, line: Number(line), column: Number(column) };
  return { kind: "compile", code, name: nameOf(code), message, place, frame, calls: [] };
}

/** The fix of a mistake that only the running code shows. */
function hintFor(kind: DevFault["kind"], { name, message }: Thrown): string {
  const [, unknown = ""] = (name === "ReferenceError" && /^(\w+) is not defined$/.exec(message)) || [];
  return kind === "server" && BROWSER_GLOBALS.has(unknown)
    ? `. It exists only in the browser, and components run on the server: use it in a handler or in onLoad(() => …).`
    : "";
}

/** A problem of a module below `pages/` is shown there, not at the call that assembles the app. */
function placeOfPage(message: string, root: string): Place | undefined {
  const [, named = ""] = PAGE.exec(message) ?? [];
  const file = [named, `src/${named}`].find((path) => named !== "" && existsSync(join(root, path)));
  if (file === undefined) return undefined;
  const text = readFileSync(join(root, file), "utf8");
  return { file, ...positionOf(text, Math.max(0, text.search(/\bexport\s+default\b/))) };
}

/** Reads a problem that the server found while it rendered a page. */
function ofRendering(text: string, root: string): Pick<DevFault, "code" | "message" | "place"> | undefined {
  const placed = PLACED.exec(text);
  if (placed) {
    const [, code = "", file = "", line, column, message = ""] = placed;
    return { code, message, place: { file, line: Number(line), column: Number(column) } };
  }
  const [, code, file, quoted = "", component = "", message = ""] = WRITTEN.exec(text) ?? [];
  if (code === undefined) return undefined;
  const source = JSON.parse(`"${quoted}"`) as string;
  const where = `${source.startsWith("<") ? `${source}>` : `"${source}"`} of ${component}: ${message}`;
  return { code, message: where, place: placeInComponent(root, file, component, source) };
}

function callsOf(stack: string, root: string, trace: Trace): DevFault["calls"] {
  return stack.split("\n").flatMap((text) => {
    const [, name = "", file, line, column] = CALL.exec(text) ?? [];
    if (file === undefined) return [];
    const at = trace(file, Number(line), Number(column));
    const inside = at && relative(root, at.file);
    if (inside === undefined || inside.startsWith("..") || isAbsolute(inside) || inside.includes("node_modules"))
      return [];
    return [{ name: name || "(anonymous)", place: { ...at, file: inside.split(sep).join("/") } as Place }];
  });
}

/** Node applies source maps, so stacks of the server already have positions in the source. */
export const traceServer: Trace = (file, line, column) => ({
  file: file.startsWith("file:") ? fileURLToPath(file) : file,
  line,
  column,
});

function frameAt({ file, line, column }: Place, root: string): string | undefined {
  try {
    const text = readFileSync(join(root, file), "utf8");
    const start = offsetOf(text, line, column);
    const word = /^[\w$]+/.exec(text.slice(start))?.[0] ?? "";
    return codeFrame(text, { start, end: start + Math.max(1, word.length) });
  } catch {
    // The file is gone, or never was one: show the position alone.
    return undefined;
  }
}
