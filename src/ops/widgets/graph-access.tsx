/** The graph that a widget was given by its id: whether whoever looks at the page may see it, and what stands there if not. */
import type { App } from "../../index.ts";
import { useApp, useRequest } from "../../internal.ts";
import type { Bearer } from "./load-widgets.ts";

/** A graph by its id. */
export interface GraphOf {
  id: string;
  /**
   * What the visitor has brought to see it: `app.graphToken(id, "read")`. Where it is given, as undefined too, the widget shows nothing to
   * whoever has none that is good for this graph now. Without it the page itself says who sees it.
   */
  token?: string | undefined;
}

interface Opened {
  app: App;
  id: string;
  bearer: Bearer;
}

/** Undefined: it is not for whoever looks. */
export function graphOf(given: GraphOf): Opened | undefined {
  const app = useApp();
  if (!("token" in given)) return { app, id: given.id, bearer: {} };
  // What a token opens is its bearer's alone: whatever looks at cookies is never shared.
  void useRequest().cookies;
  const { id, token } = given;
  return token !== undefined && app.mayReadGraph(id, token) ? { app, id, bearer: { token } } : undefined;
}

/** The same whether there is no such graph or it is not for whoever asks. */
export function NothingToShow({ title }: { title: string | undefined }) {
  return (
    <section class="svc-nothing" aria-label={title ?? "Graph"}>
      <p>There is nothing to see here: it is gone, or its link is not good any more.</p>
    </section>
  );
}
