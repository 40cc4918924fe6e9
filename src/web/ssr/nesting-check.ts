/**
 * Development only: rejects invalid nesting across components, which the HTML parser would silently repair (SVC203). The compiler
 * checks nesting inside one template. Components mark their output for the check; this module removes the marks.
 */
import { SvcError } from "../../platform/shared/errors.ts";
import { VOID_TAGS } from "../../platform/shared/html/html.ts";
import { nestingProblem, textProblem } from "../../platform/shared/html/html-nesting.ts";

// HTML does not allow control characters, so data that contains them displays nothing anyway.
const BEGIN = "\u0001";
const NAMED = "\u0002";
const END = "\u0003";

/** Wraps a component's output in marks. */
export function marked(component: string, html: string): string {
  return html === "" ? "" : `${BEGIN}${component}${NAMED}${html}${END}`;
}

/** Matches marks, comments, elements with raw text content, tags, and text. */
const TOKEN =
  // eslint-disable-next-line no-control-regex -- they are the marks
  /\u0001([^\u0002]*)\u0002|(\u0003)|<!--[^]*?-->|<(script|style|textarea|title)\b[^]*?<\/\3>|<(\/?)([a-z][^\s/>]*)(?:"[^"]*"|'[^']*'|[^"'>])*>|([^<\u0001\u0003]+)/gi;

interface Open {
  tag: string;
  component: string;
}

/** Checks the nesting and removes the marks. @throws SvcError SVC203 */
export function checkedNesting(html: string): string {
  if (!html.includes(BEGIN)) return html;
  const components: string[] = [];
  const open: Open[] = [];
  for (const [, begin, end, raw, slash, tag, text] of html.matchAll(TOKEN)) {
    const component = components.at(-1) ?? "the page";
    const tags = open.map((element) => element.tag);
    if (begin !== undefined) components.push(begin);
    else if (end !== undefined) components.pop();
    else if (raw !== undefined) refuse(nestingProblem(raw, tags), `<${raw}`, component, open);
    else if (text !== undefined) {
      if (text.trim() !== "") refuse(textProblem(tags), text.trim().slice(0, 40), component, open);
    } else if (tag !== undefined && slash === "") {
      refuse(nestingProblem(tag, tags), `<${tag}`, component, open);
      if (!VOID_TAGS.has(tag)) open.push({ tag, component });
    } else if (tag !== undefined) {
      const at = tags.lastIndexOf(tag);
      if (at >= 0) open.length = at;
    }
  }
  // eslint-disable-next-line no-control-regex -- they are the marks
  return html.replaceAll(/\u0001[^\u0002]*\u0002|\u0003/g, "");
}

function refuse(problem: string | undefined, what: string, component: string, open: readonly Open[]): void {
  if (problem === undefined) return;
  const way = open.map(({ tag, component: of }) => `<${tag}> of ${of}`).slice(-4);
  throw new SvcError(
    "SVC203",
    `SVC203 ${JSON.stringify(what)} of ${component}\n${problem} Found inside ${way.join(" > ")}.`,
  );
}
