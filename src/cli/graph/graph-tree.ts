/**
 * The nodes of a graph as a tree for a terminal. Each node is below one of its predecessors; the other predecessors follow its name.
 * Pure.
 */

export interface TreeNode {
  name: string;
  status: string;
  /** Text after the name: "done", "11 done, 1 failed". */
  label: string;
}

export interface TreeLine {
  /** Branch lines, status mark and name. */
  head: string;
  label: string;
  /** Other predecessors. */
  note: string;
}

interface Glyphs {
  fork: string;
  last: string;
  pass: string;
  marks: Readonly<Record<string, string>>;
  other: string;
}

const UNICODE: Glyphs = {
  fork: "├─ ",
  last: "└─ ",
  pass: "│  ",
  marks: { done: "✓", failed: "✕", running: "◐", waiting: "◇", retrying: "↻", cancelled: "⊘", skipped: "┄" },
  other: "○",
};
const ASCII: Glyphs = {
  fork: "|- ",
  last: "`- ",
  pass: "|  ",
  marks: { done: "+", failed: "x", running: ">", waiting: "?", retrying: "~", cancelled: "/", skipped: "-" },
  other: "o",
};

/** @param nodes steps have their node's name before a `#`. @param edges pairs of names */
export function treeLines(
  nodes: readonly TreeNode[],
  edges: readonly (readonly [string, string])[],
  isAscii: boolean,
): TreeLine[] {
  const glyphs = isAscii ? ASCII : UNICODE;
  const before = befores(nodes, edges);
  const known = new Map(nodes.map((node) => [node.name, node]));
  // A node is placed below its latest predecessor, so a branch reads in order of execution.
  const depths = new Map<string, number>();
  const depthOf = (name: string): number => {
    const found = depths.get(name);
    if (found !== undefined) return found;
    const depth = 1 + Math.max(-1, ...(before.get(name) ?? []).map(depthOf));
    depths.set(name, depth);
    return depth;
  };
  const parentOf = (name: string): string | undefined =>
    (before.get(name) ?? []).reduce<string | undefined>(
      (deepest, one) => (deepest === undefined || depthOf(one) > depthOf(deepest) ? one : deepest),
      undefined,
    );
  const below = new Map<string | undefined, TreeNode[]>();
  for (const node of nodes) {
    const parent = parentOf(node.name);
    below.set(parent, [...(below.get(parent) ?? []), node]);
  }
  const lines: TreeLine[] = [];
  const write = (node: TreeNode, indent: string, branch: string, next: string): void => {
    const parent = parentOf(node.name);
    const others = (before.get(node.name) ?? []).filter((name) => name !== parent && known.has(name));
    const mark = glyphs.marks[node.status] ?? glyphs.other;
    lines.push({
      head: `${indent}${branch}${mark} ${node.name}`,
      label: node.label,
      note: others.length === 0 ? "" : `after ${others.join(", ")} too`,
    });
    const children = below.get(node.name) ?? [];
    children.forEach((child, at) => {
      const isLast = at === children.length - 1;
      write(child, indent + next, isLast ? glyphs.last : glyphs.fork, isLast ? "   " : glyphs.pass);
    });
  };
  for (const root of below.get(undefined) ?? []) write(root, "", "", "");
  return lines;
}

/** The predecessors of each node. Steps are below their node. */
function befores(nodes: readonly TreeNode[], edges: readonly (readonly [string, string])[]): Map<string, string[]> {
  const known = new Set(nodes.map(({ name }) => name));
  const before = new Map<string, string[]>();
  const add = (name: string, one: string): void => {
    if (known.has(one)) before.set(name, [...(before.get(name) ?? []), one]);
  };
  for (const [from, to] of edges) add(to, from);
  for (const { name } of nodes) if (name.includes("#")) add(name, name.slice(0, name.lastIndexOf("#")));
  return before;
}

/** Whether the terminal shows only ASCII: its locale names another charset, or it is a dumb terminal. */
export function isAsciiTerminal(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  return env["TERM"] === "dumb" || (locale !== undefined && locale !== "" && !/utf-?8/i.test(locale));
}
