/** URLs of nodes, and IDs of their rows. */

export function rowId(graph: string, node: string): string {
  return `flow-${graph}-${node}`;
}

/** @param nodeHref a URL with `:node` for the name; undefined: the node's row */
export function hrefOf(graph: string, node: string, nodeHref: string | undefined): string {
  return nodeHref === undefined ? `#${rowId(graph, node)}` : nodeHref.replaceAll(":node", encodeURIComponent(node));
}
