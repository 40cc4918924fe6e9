/** Where nodes lead, and where their rows stand. */

export function rowId(graph: string, node: string): string {
  return `flow-${graph}-${node}`;
}

/** @param nodeHref `:node` in place of the name; undefined: to the row of the node */
export function hrefOf(graph: string, node: string, nodeHref: string | undefined): string {
  return nodeHref === undefined ? `#${rowId(graph, node)}` : nodeHref.replaceAll(":node", encodeURIComponent(node));
}
