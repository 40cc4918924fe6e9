/** The page being rendered. Rendering is synchronous, so a module variable suffices: each render sets and restores it. */
import { SvcError } from "../../platform/shared/errors.ts";
import { exchangeCreated } from "../reactivity/server-store.ts";
import { checkedNesting } from "./nesting-check.ts";
import { insertPortals } from "./components/insert-portals.ts";
import type { Render } from "./render.ts";
import { t } from "./write.ts";

let current: Render | undefined;

/** The page being rendered, if any. */
export function renderInProgress(): Render | undefined {
  return current;
}

/** The page being rendered. @throws SvcError `SVC_DEFINITION` outside of a render. */
export function currentRender(): Render {
  if (current) return current;
  throw new SvcError("SVC_DEFINITION", "This part of a page can only be rendered inside a page's view");
}

/** Renders a view's value to HTML with `render` as the current page. */
export function renderInto(render: Render, view: () => unknown): string {
  const outer = current;
  const outerState = exchangeCreated(render.created);
  current = render;
  try {
    return render.isDevelopment ? checkedNesting(t(view())) : t(view());
  } finally {
    current = outer;
    exchangeCreated(outerState);
  }
}

/** Like `renderInto`, and inserts the content of portals into their targets. */
export function renderPlaced(render: Render, view: () => unknown): string {
  const written = renderInto(render, view);
  const moved = render.takeMoved();
  return moved.length === 0 ? written : insertPortals(written, moved);
}
