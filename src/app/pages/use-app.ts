/** Access to the app and the request while a page is rendered, for components that need more than their props. */
import type { Context } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { renderInProgress } from "../../web/ssr/current-page.ts";
import type { App } from "../app-types.ts";

/** The value of `RenderSettings.host` while a page is rendered. */
export class PageHost {
  readonly app: App;
  readonly ctx: Context;

  constructor(app: App, ctx: Context) {
    this.app = app;
    this.ctx = ctx;
  }
}

/**
 * The app whose page is being rendered, for its engine and tokens. Call it in the body of a component, which then need not import the app.
 * @throws SvcError `SVC_DEFINITION` while no page is being rendered
 */
export function useApp(): App {
  return hostOf("useApp").app;
}

/**
 * The request whose page is being rendered. As in `load`, a response is not shared if a component reads the visitor's data. Call it in
 * the body of a component.
 * @throws SvcError `SVC_DEFINITION` while no page is being rendered
 */
export function useRequest(): Context {
  return hostOf("useRequest").ctx;
}

function hostOf(name: string): PageHost {
  const host = renderInProgress()?.host;
  if (host instanceof PageHost) return host;
  throw new SvcError(
    "SVC_DEFINITION",
    `${name}() was called while no page was being rendered. Call it in the body of a component; loaders and routes get their context as an argument`,
  );
}
