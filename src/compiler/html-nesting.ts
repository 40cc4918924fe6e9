/**
 * Nesting that the HTML parser would repair, so that the browser's tree would differ from the one the static paths
 * were computed on. Source: WHATWG HTML 13.2.6 (tree construction); only what JSX can express inside one template.
 */

/** Elements whose start tag closes an open `p`. */
const CLOSES_P = new Set(
  (
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 " +
    "h4 h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul li dd dt"
  ).split(" "),
);

/** Parents with a closed list of element children; anything else is moved out, or gets a parent put in between. */
const ONLY: Record<string, string> = {
  table: "caption colgroup thead tbody tfoot script template style",
  thead: "tr script template",
  tbody: "tr script template",
  tfoot: "tr script template",
  tr: "td th script template",
  colgroup: "col template",
  select: "option optgroup hr script template button",
  optgroup: "option script template hr",
};

/** Elements that need one of these parents. */
const NEEDS: Record<string, string> = {
  tr: "thead tbody tfoot template",
  td: "tr template",
  th: "tr template",
  thead: "table template",
  tbody: "table template",
  tfoot: "table template",
  caption: "table template",
  col: "colgroup template",
};

/** Elements that may not stand inside themselves, whatever is between. */
const NOT_IN_ITSELF = new Set("a button form option nobr".split(" "));

/** Elements where the parser stops looking for an open `p`, `a` or `button` further up. */
const BARRIERS = new Set("button td th caption table object template svg".split(" "));

/**
 * @param tag element about to be opened.
 * @param ancestors open elements of the same template, outermost first.
 * @returns what is wrong and what to write, or undefined.
 */
export function nestingProblem(tag: string, ancestors: readonly string[]): string | undefined {
  const parent = ancestors.at(-1);
  if (parent === undefined) return undefined;
  const only = ONLY[parent];
  if (only && !only.split(" ").includes(tag)) {
    return `<${tag}> can't stand directly in <${parent}>; the parser would repair it. Allowed there: ${only.replaceAll(" ", ", ")}.`;
  }
  const needs = NEEDS[tag];
  if (needs && !needs.split(" ").includes(parent)) {
    return `<${tag}> must stand directly in ${needs.replace(" template", "").replaceAll(" ", " or ")}, not in <${parent}>.`;
  }
  if (CLOSES_P.has(tag) && openInScope("p", ancestors)) {
    return `<${tag}> can't stand inside <p>: the parser closes the <p> before it. Use <div> in place of <p>.`;
  }
  if (NOT_IN_ITSELF.has(tag) && openInScope(tag, ancestors)) return `<${tag}> can't stand inside another <${tag}>.`;
  return undefined;
}

function openInScope(tag: string, ancestors: readonly string[]): boolean {
  for (let index = ancestors.length - 1; index >= 0; index--) {
    const ancestor = ancestors[index];
    if (ancestor === tag) return true;
    if (ancestor !== undefined && BARRIERS.has(ancestor)) return false;
  }
  return false;
}
