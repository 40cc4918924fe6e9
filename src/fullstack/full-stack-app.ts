/** `createFullStackApp`: the base app with the pages of the `pages/` folder. Uses nothing of the base app but its public face. */
import { createApp, SvcError, type App, type AppOptions } from "../index.ts";
import { liveRoutes } from "../ops/live/live-routes.ts";
import { assemble } from "./assemble.ts";
import { statusOf } from "./layouts/layout-chain.ts";
import { CHOICE_NAME, type AnyI18n } from "./i18n/i18n.ts";
import { choiceRoutes } from "./i18n/routes.ts";
import { exportedSubmits, type Modules, type PageSettings } from "./modules.ts";
import { demoGraph } from "../ops/demo-graph.ts";
import { opsEntries, type OpsOptions } from "../ops/ops.ts";
import { PublicError } from "./outcome.ts";
import { seoRoutes, type SeoOptions } from "./seo/seo.ts";
import { submitsByName, type AnySubmit } from "./forms/submit.ts";

export interface FullStackOptions extends Omit<AppOptions, "submits"> {
  /** Submits that no module below `pages/` exports; those that one does need not be named. */
  submits?: readonly AnySubmit[];
  /** What search engines and assistants are told. Default: `robots.txt` that allows everything, and a sitemap of the pages. */
  seo?: SeoOptions;
  /**
   * `"enhanced"`: links from page to page keep the layouts that both have, with their state, and exchange the rest. Costs each
   * page one small script. Default `"links"`: the browser follows them. A page's own `options.navigation` stands above it.
   */
  navigation?: PageSettings["navigation"];
  /** The languages of the app, as `createI18n` makes them. Default: one, which `head.lang` names. */
  i18n?: AnyI18n;
  /** The operators' screens at `/_svc/ops`: who may see them, and what they hide. `false`: there are none. */
  ops?: OpsOptions | false;
}

/**
 * Makes an app of the files below `pages/` beside this module; `options` add what the base app takes.
 * @param given modules by path, put there by the compiler: `{ "./pages/index.tsx": … }`
 * @throws SvcError `SVC_DEFINITION` naming the file that can't be a page, layout or endpoint. Its boot is refused with
 * `SVC_CONFIG` where the site's address is not set in production (`app.siteUrl`).
 */
export function createFullStackApp(options: FullStackOptions = {}, given?: Readonly<Record<string, unknown>>): App {
  if (!given)
    throw new SvcError(
      "SVC_DEFINITION",
      'createFullStackApp was run without being compiled, so it has no pages: "svc dev" and "svc build" give it those of its folder pages/.',
    );
  const { seo = {}, ops = {}, navigation = "links", i18n, submits: named = [], ...base } = options;
  const modules = byFile(given);
  const submits = submitsByName([...exportedSubmits(modules), ...named]);
  const assembled = assemble(modules, {
    submits,
    origin: () => app.config.siteOrigin,
    navigation,
    i18n,
    log: (ctx, err) => app.log.error({ reqId: ctx.requestId, traceId: ctx.trace.traceId, err }, "A page failed"),
    errorText: (error) => errorTextOf(error, app.config.exposes.errorDetails),
  });
  const app = createApp({
    ...base,
    ...(ops && hasDemoGraph(base) && { graphs: [demoGraph()] }),
    submits: Object.fromEntries([...submits].map(([name, { definition }]) => [name, definition])),
    pages: [...assembled.routes, ...(base.pages ?? [])],
    routes: [...seoRoutes(seo, assembled.plain, assembled.paths, () => app.siteUrl), ...(base.routes ?? [])],
    notFound: [...assembled.notFound, ...(base.notFound ?? [])],
    extensions: {
      live: liveRoutes(() => app),
      ...(i18n && { [CHOICE_NAME]: choiceRoutes(i18n.locales) }),
      ...(ops && { ops: opsEntries(() => app, ops) }),
      ...base.extensions,
    },
    onBoot: async () => {
      // Absent in production, this is the first to say so.
      void app.siteUrl;
      await base.onBoot?.();
    },
  });
  return app;
}

/** An app that is being developed and has no graph of its own has one to look at on the operators' screens. */
function hasDemoGraph({ demo, env = process.env, workers = [], graphs = [] }: AppOptions): boolean {
  return (demo ?? env["NODE_ENV"] !== "production") && workers.length === 0 && graphs.length === 0;
}

/** What visitors may know: refusals are for them, faults are not. */
function errorTextOf(error: unknown, hasDetails: boolean): string {
  const isForAll = error instanceof PublicError || statusOf(error) < 500;
  if (error instanceof Error && (isForAll || hasDetails)) return error.message;
  return hasDetails ? String(error) : "Something failed on our side.";
}

function byFile(given: Readonly<Record<string, unknown>>): Modules {
  const entries = Object.entries(given).map(([path, module]) => [path.replace(/^.*?\/pages\//, ""), module]);
  return Object.fromEntries(entries) as Modules;
}
