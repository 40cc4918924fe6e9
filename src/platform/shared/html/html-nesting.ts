/**
 * Nesting that the HTML parser would repair, so that the browser's tree would differ from the one the static paths
 * were computed on. Source: WHATWG HTML 13.2.6 (tree construction); only what JSX can express.
 */

/** Elements whose start tag closes an open `p`. */
const CLOSES_P = new Set(
  (
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 " +
    "h4 h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul li dd dt"
  ).split(" "),
);

/** Parents with a fixed list of element children. The parser moves other children out, or wraps them. */
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

/** Elements that can't be nested in themselves, up to a barrier. */
const NOT_IN_ITSELF = new Set("a button option nobr".split(" "));

const HEADINGS = new Set("h1 h2 h3 h4 h5 h6".split(" "));

/** The open items that the start tag of an item closes. */
const ITEMS: Record<string, string> = { li: "li", dd: "dd dt", dt: "dd dt" };

/** Elements at which the parser stops looking for an open item ("special" without address, div and p). */
const HOLDS_ITEMS = new Set(
  (
    "article aside blockquote button caption center details dir dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hgroup main menu nav object ol pre search section select summary table tbody td template tfoot th thead tr ul"
  ).split(" "),
);

/** Elements that svc renders itself; the parser drops a second one. */
const OF_THE_PAGE = new Set("html head body".split(" "));

/** Elements where the parser stops looking for an open `p`, `a` or `button` further up. */
const BARRIERS = new Set("button td th caption table object template svg".split(" "));

/**
 * @param tag element about to be opened.
 * @param ancestors open elements of the same template, outermost first.
 * @returns what is wrong and what to write, or undefined.
 */
export function nestingProblem(tag: string, ancestors: readonly string[]): string | undefined {
  if (OF_THE_PAGE.has(tag))
    return `<${tag}> is written by svc. Return only the content of <body>; set title, head and language as options of page(…).`;
  const parent = ancestors.at(-1);
  if (parent === undefined) return undefined;
  const only = ONLY[parent];
  if (only && !only.split(" ").includes(tag)) {
    const around = parent === "table" && tag === "tr" ? " Put it into a <tbody>." : "";
    return `<${tag}> can't be a direct child of <${parent}>; the parser would move it.${around} Allowed there: ${only.replaceAll(" ", ", ")}.`;
  }
  const needs = NEEDS[tag];
  if (needs && !needs.split(" ").includes(parent)) {
    return `<${tag}> must be a direct child of ${needs.replace(" template", "").replaceAll(" ", " or ")}, not in <${parent}>.`;
  }
  if (CLOSES_P.has(tag) && openInScope("p", ancestors)) {
    return `<${tag}> can't be inside <p>: the parser closes the <p> before it. Use <div> instead of <p>.`;
  }
  if (tag === "form" ? ancestors.includes("form") : NOT_IN_ITSELF.has(tag) && openInScope(tag, ancestors)) {
    return `<${tag}> can't be inside another <${tag}>. Put them side by side.`;
  }
  if (HEADINGS.has(tag) && HEADINGS.has(parent)) {
    return `<${tag}> can't be a direct child of <${parent}>: the parser closes the <${parent}> before it. Use <span> inside a heading.`;
  }
  const item = openItem(tag, ancestors);
  return item && `<${tag}> closes the <${item}> around it. Put a list element such as <ul> or <dl> between them.`;
}

/** Elements from which the parser moves text to a place before the table. */
const TEXTLESS = new Set("table thead tbody tfoot tr colgroup".split(" "));

/** @returns the problem of text in the innermost of `ancestors` and its fix, or undefined. */
export function textProblem(ancestors: readonly string[]): string | undefined {
  const parent = ancestors.at(-1);
  if (parent === undefined || !TEXTLESS.has(parent)) return undefined;
  return `Text can't be a direct child of <${parent}>: the parser moves it out of the table. Put it into a <td>, <th> or <caption>.`;
}

/** The open item that `tag` would close (13.2.6.4.7, start tags li, dd, dt). */
function openItem(tag: string, ancestors: readonly string[]): string | undefined {
  const ended = ITEMS[tag]?.split(" ");
  if (!ended) return undefined;
  for (const ancestor of ancestors.toReversed()) {
    if (ended.includes(ancestor)) return ancestor;
    if (HOLDS_ITEMS.has(ancestor)) return undefined;
  }
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
