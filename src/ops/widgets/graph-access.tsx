/** Checks whether the visitor may see the graph that a widget was given by its ID, and renders the placeholder if not. */
import type { App } from "../../index.ts";
import { useApp } from "../../internal.ts";
import type { Bearer } from "./load-widgets.ts";

/** A graph by its ID. */
export interface GraphOf {
  id: string;
  /**
   * The visitor's token from `app.graphToken(id, "read")`. If the property is present, even as undefined, the widget shows nothing without
   * a token that is currently valid for this graph. If it is absent, the page itself decides who sees the graph.
   */
  token?: string | undefined;
}

interface Opened {
  app: App;
  id: string;
  bearer: Bearer;
}

/** Undefined: the visitor may not see it. */
export function graphOf(given: GraphOf): Opened | undefined {
  const app = useApp();
  if (!("token" in given)) return { app, id: given.id, bearer: {} };
  const { id, token } = given;
  return token !== undefined && app.mayReadGraph(id, token) ? { app, id, bearer: { token } } : undefined;
}

/** The same for missing and for forbidden graphs. */
export function NothingToShow({ title }: { title: string | undefined }) {
  return (
    <section class="svc-nothing" aria-label={title ?? "Graph"}>
      <p>This run does not exist, or its link has expired.</p>
    </section>
  );
}
