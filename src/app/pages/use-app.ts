/** The app and the request of the page that is being rendered, for components that need more than their props. */
import type { Context } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { renderInProgress } from "../../web/ssr/current-page.ts";
import type { App } from "../app-types.ts";

/** What a render was begun with (`RenderSettings.host`). */
export class PageHost {
  readonly app: App;
  readonly ctx: Context;

  constructor(app: App, ctx: Context) {
    this.app = app;
    this.ctx = ctx;
  }
}

/**
 * The app whose page is being rendered: its engine, its tokens. Call it in the body of a component, which needs no import of the app then.
 * @throws SvcError `SVC_DEFINITION` where no page is being rendered
 */
export function useApp(): App {
  return hostOf("useApp").app;
}

/**
 * The request that is answered with the page that is being rendered. What a component looks at of the visitor keeps the answer from being
 * shared, as it does in `load`. Call it in the body of a component.
 * @throws SvcError `SVC_DEFINITION` where no page is being rendered
 */
export function useRequest(): Context {
  return hostOf("useRequest").ctx;
}

function hostOf(name: string): PageHost {
  const host = renderInProgress()?.host;
  if (host instanceof PageHost) return host;
  throw new SvcError(
    "SVC_DEFINITION",
    `${name}() was called while no page was being rendered: call it in the body of a component; loaders and routes are given their context`,
  );
}
