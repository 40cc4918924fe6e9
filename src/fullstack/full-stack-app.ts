/** `createFullStackApp`: the base app with the pages of the `pages/` folder. Uses only the public API of the base app. */
import { createApp, SvcError, type App, type AppOptions, type Context } from "../index.ts";
import type { FormMessages } from "./forms/form-messages.ts";
import { liveRoutes } from "../ops/live/live-routes.ts";
import { RouteNames } from "./files/route-names.ts";
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
  /** Submits that no module below `pages/` exports. Exported ones are registered automatically. */
  submits?: readonly AnySubmit[];
  /** `robots.txt`, sitemap and `llms.txt`. Default: a `robots.txt` that allows everything, and a sitemap of the pages. */
  seo?: SeoOptions;
  /**
   * `"enhanced"`: links between pages keep their shared layouts with their state, and replace the rest. Adds one small script to each
   * page. Default `"links"`: the browser loads each page. A page's own `options.navigation` overrides it.
   */
  navigation?: PageSettings["navigation"];
  /** The framework's own messages of forms, in the language of a request. Default: English. */
  formMessages?: (ctx: Context) => FormMessages;
  /** The languages of the app, from `createI18n`. Default: one language, set by `head.lang`. */
  i18n?: AnyI18n;
  /** Access and privacy of the operators' screens at `/_svc/ops`. `false`: no screens. */
  ops?: OpsOptions | false;
}

/**
 * Creates an app from the files below `pages/` beside this module. `options` also accepts the options of the base app.
 * @param given modules by path, passed by the compiler: `{ "./pages/index.tsx": … }`
 * @param discovered actions that handlers import, passed by the compiler
 * @throws SvcError `SVC_DEFINITION` that names an invalid page, layout or endpoint file. In production, the boot fails with `SVC_CONFIG`
 * if the site's address is not set (`app.siteUrl`).
 * @example
 * export default createFullStackApp({ themes: true });
 */
export function createFullStackApp(
  options: FullStackOptions = {},
  given?: Readonly<Record<string, unknown>>,
  discovered: Parameters<typeof createApp>[1] = [],
): App {
  if (!given)
    throw new SvcError(
      "SVC_DEFINITION",
      'createFullStackApp was not compiled, so it has no pages. Run it with "svc dev" or build it with "svc build"; both add the folder pages/.',
    );
  const {
    seo = {},
    ops = {},
    navigation = "links",
    i18n,
    submits: named = [],
    formMessages = () => ({}),
    ...base
  } = options;
  const modules = byFile(given);
  const submits = submitsByName([...exportedSubmits(modules), ...named]);
  const assembled = assemble(modules, {
    submits,
    routes: new RouteNames(Object.keys(modules), () => app.log),
    formMessages,
    origin: () => app.config.siteOrigin,
    navigation,
    i18n,
    log: (ctx, err) => app.log.error({ reqId: ctx.requestId, traceId: ctx.trace.traceId, err }, "A page failed"),
    errorText: (error) => errorTextOf(error, app.config.exposes.errorDetails),
  });
  const app = createApp(
    {
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
        // Throws if the address is missing in production.
        void app.siteUrl;
        await base.onBoot?.();
      },
    },
    discovered,
  );
  return app;
}

/** In development, an app without graphs and workers gets a demo graph, so that the operators' screens show something. */
function hasDemoGraph({ demo, env = process.env, workers = [], graphs = [] }: AppOptions): boolean {
  return (demo ?? env["NODE_ENV"] !== "production") && workers.length === 0 && graphs.length === 0;
}

/** Text for visitors: the message of a client error, but no details of a server error. */
function errorTextOf(error: unknown, hasDetails: boolean): string {
  const isForAll = error instanceof PublicError || statusOf(error) < 500;
  if (error instanceof Error && (isForAll || hasDetails)) return error.message;
  return hasDetails ? String(error) : "Something failed on our side.";
}

function byFile(given: Readonly<Record<string, unknown>>): Modules {
  const entries = Object.entries(given).map(([path, module]) => [path.replace(/^.*?\/pages\//, ""), module]);
  return Object.fromEntries(entries) as Modules;
}
