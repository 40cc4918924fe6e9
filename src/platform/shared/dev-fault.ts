/**
 * An error of the app during development, as shown on a page, in an overlay and in the terminal. Defines the data and its view.
 * The view is a tree: the server renders it as text, the browser creates elements from it.
 */
import { escapeAttribute, escapeText } from "./html/escape.ts";
import { DOM, PATHS } from "./wire.ts";

export interface Place {
  /** Relative to the app's root, with forward slashes; absolute where it is outside. */
  file: string;
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
}

export interface DevFault {
  /** Where svc found the fault. */
  kind: "compile" | "style" | "server" | "browser";
  /** A code of docs/errors.md, or the name of the error. */
  code: string;
  /** Name of a numbered code: `captured-let`. */
  name?: string | undefined;
  /** The problem and possible fixes. */
  message: string;
  place: Place | undefined;
  /** Source code around the place. */
  frame: string | undefined;
  /** The call stack, innermost first, without frames outside of the app. */
  calls: readonly { name: string; place: Place }[];
  /** Path of the chunk or stylesheet that failed. Pages that did not request it still work. */
  request?: string;
  /** Other compile errors, which are shown below this one. */
  others?: readonly DevFault[];
}

const TITLES = {
  compile: "Compile error",
  style: "Stylesheet error",
  server: "Error on the server",
  browser: "Error in the browser",
};
const NEXT_STEPS = {
  compile: "Fix it and save: the page reloads automatically.",
  style: "Fix it and save: the page gets the stylesheet automatically.",
  server: "Fix it and save: the page is rendered again automatically.",
  browser: "The page keeps running. Fix it and save: the page keeps everything typed and clicked so far.",
};

/** An element with its attributes and content, or text. */
export type View = string | readonly [tag: string, attributes: Readonly<Record<string, string>>, ...content: View[]];

/** URL that opens the place in the author's editor. */
function editorUrl({ file, line, column }: Place): string {
  return `${PATHS.devOpen}?file=${encodeURIComponent(`${file}:${line}:${column}`)}`;
}

function placeText({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

/** Renders a fault. */
export function faultView(fault: DevFault): View[] {
  const { kind, others = [] } = fault;
  const count = others.length + 1;
  return [
    ...problemView(fault, "h1", count === 1 ? "" : ` 1 of ${count}`),
    ...others.map((other, at): View => [
      "section",
      { class: "other" },
      ...problemView(other, "h2", ` ${at + 2} of ${count}`),
    ]),
    ["p", { class: "way" }, count === 1 ? NEXT_STEPS[kind] : NEXT_STEPS[kind].replace("it", `the ${count} errors`)],
  ];
}

/** One problem of a fault. @param number its position among the others */
function problemView(
  { kind, code, name, message, place, frame, calls }: DevFault,
  heading: "h1" | "h2",
  number: string,
): View[] {
  const [first = "", ...lines] = message.trim().split("\n");
  // The problem is the headline; the fixes are below it.
  const [, headline = first, rest] = /^(.*?[.:!?]) +([A-Z].*)$/.exec(first) ?? [];
  const more = rest === undefined ? lines : [rest, ...lines];
  return [
    [
      "p",
      { class: "kind" },
      ["span", { class: "code" }, code],
      " ",
      TITLES[kind] + number + (name === undefined ? "" : `: ${name}`),
    ],
    [heading, heading === "h1" ? { id: "fault-message" } : {}, headline],
    ...more.map((line): View => ["p", {}, line]),
    ...(place ? [["p", { class: "place" }, link(place)] as const] : []),
    ...(frame === undefined ? [] : [["pre", { class: "frame", tabindex: "0" }, ...frameView(frame)] as const]),
    ...(calls.length === 0 ? [] : [callsView(calls)]),
  ];
}

function link(place: Place): View {
  return ["a", { href: editorUrl(place), title: "Open in the editor" }, placeText(place)];
}

/** Highlights the line with the fault and the marker below it. */
function frameView(frame: string): View[] {
  return frame.split("\n").map((line) => {
    const isMeant = line.startsWith(">") || /^\s+\| +\^+$/.test(line);
    return ["span", { class: isMeant ? "line meant" : "line" }, `${line}\n`];
  });
}

function callsView(calls: DevFault["calls"]): View {
  const rows = calls.map(({ name, place }): View => ["li", {}, ["span", {}, `${name} `], link(place)]);
  return ["details", {}, ["summary", {}, "Called by"], ["ol", {}, ...rows]];
}

/** HTML text of a view. */
function viewText(view: View): string {
  if (typeof view === "string") return escapeText(view);
  const [tag, attributes, ...content] = view;
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`);
  return `<${tag}${written.join("")}>${content.map(viewText).join("")}</${tag}>`;
}

/** Styles of the view, inside an element of the class `fault`. */
export const FAULT_STYLE = `
.fault{--text:#1d1f24;--quiet:#5b616b;--ground:#fff;--well:#f5f5f7;--line:#d9dbe0;--mark:#c22f2f;--wash:#fdeceb;--link:#0b57b8;
box-sizing:border-box;max-width:52rem;padding:1.75rem 2rem 1.5rem;border-top:4px solid var(--mark);border-radius:10px;background:var(--ground);color:var(--text);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",sans-serif;text-align:start;overflow-wrap:anywhere;box-shadow:0 1px 2px #0002,0 12px 40px #0003}
.fault *{box-sizing:border-box}
.fault:focus{outline:none}
.fault p{margin:.5rem 0 0}
.fault .kind{margin:0;color:var(--quiet);font-size:.875rem}
.fault .code{display:inline-block;margin-inline-end:.35rem;padding:.05rem .5rem;border-radius:99px;background:var(--wash);color:var(--mark);font-weight:600}
.fault :is(h1,h2){margin:.6rem 0 0;font-size:1.25rem;font-weight:600;line-height:1.35}
.fault .other{margin-top:1.75rem;padding-top:1.25rem;border-top:1px solid var(--line)}
.fault .place{margin-top:1rem;font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.fault a{color:var(--link);text-underline-offset:.2em}
.fault pre{margin:.5rem 0 0;padding:.75rem 0;overflow-x:auto;border:1px solid var(--line);border-radius:8px;background:var(--well);
font:.8125rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:normal;tab-size:2}
.fault .line{display:block;min-width:max-content;padding:0 1rem;white-space:pre;color:var(--quiet)}
.fault .meant{background:var(--wash);color:var(--text)}
.fault details{margin-top:1rem;font-size:.875rem}
.fault summary{cursor:pointer;color:var(--quiet)}
.fault ol{margin:.5rem 0 0;padding-inline-start:1.5rem;font:.8125rem/1.7 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.fault .way{margin-top:1.25rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--quiet);font-size:.875rem}
.fault button{float:inline-end;margin:-.35rem -.5rem 0 1rem;padding:.25rem .6rem;border:1px solid var(--line);border-radius:6px;background:none;color:inherit;font:inherit;font-size:.875rem;cursor:pointer}
.fault button:hover{background:var(--well)}
.fault :is(a,button,summary,pre):focus-visible{outline:2px solid var(--link);outline-offset:2px}
@media (prefers-color-scheme:dark){.fault{--text:#ececf1;--quiet:#a3a8b3;--ground:#1c1e23;--well:#14161a;--line:#363a43;--mark:#ff8a80;--wash:#40211f;--link:#8ab8ff}}
@media (max-width:40rem){.fault{padding:1.25rem 1rem}}
`;

/** A fault for the overlay of a page that shows the error in its own way. */
export function caughtFault(fault: DevFault, nonce: string): string {
  return `<script type="application/json" id="${DOM.caughtId}" nonce="${nonce}">${dataOf(fault)}</script>`;
}

const dataOf = (fault: DevFault): string => JSON.stringify(fault).replaceAll("<", "\\u003c");

/** A complete document for a fault. @param head additional elements of the head. */
export function faultPage(fault: DevFault, nonce: string, head: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<meta name="color-scheme" content="light dark"><title>${escapeText(`${TITLES[fault.kind]}: ${fault.code}`)}</title>` +
    // Without scripts, the page reloads by itself.
    `<noscript><meta http-equiv="refresh" content="2"></noscript>` +
    `<style nonce="${nonce}">body{margin:0;padding:8vh 1.25rem;background:Canvas}.fault{margin:0 auto}${FAULT_STYLE}</style>` +
    `<script type="application/json" id="${DOM.faultId}" nonce="${nonce}">${dataOf(fault)}</script>${head}</head>` +
    `<body><main class="fault">${faultView(fault).map(viewText).join("")}</main></body></html>`
  );
}
