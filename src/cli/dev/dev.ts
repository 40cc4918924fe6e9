/**
 * `svc dev`: serves the app from source. The socket stays open while the app behind it is replaced after each change
 * (dev-reloader.ts); open pages follow what changes (dev-pages.ts, src/web/client/dev).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { readConfig } from "../../app/lifecycle/config.ts";
import { createDevHost, type DevHost } from "../../web/compiler/dev/dev-host.ts";
import { listen } from "../../platform/http/server.ts";
import { SiteRules } from "../../platform/security/site-rules.ts";
import { systemClock } from "../../platform/shared/clock.ts";
import { BASE_PATH, PATHS, VARIABLES } from "../../platform/shared/wire.ts";
import { banner } from "../banner.ts";
import { loadEnvFiles } from "../env-files.ts";
import { DevEndpoints } from "./dev-endpoints.ts";
import { DevReporter } from "./dev-reporter.ts";
import { DevPages } from "./dev-pages.ts";
import { DevReloader } from "./dev-reloader.ts";
import { watch } from "./dev-watch.ts";
import { OperatorLink } from "./operator-link.ts";
import type { Output } from "../output.ts";
import { endRequested } from "../signals.ts";

export interface DevTask {
  /** Absolute path. */
  root: string;
  host: string | undefined;
  port: number | undefined;
}

const DRAIN_MS = 2000;

export async function dev(options: DevTask, output: Output): Promise<void> {
  // Must be set before the app and its libraries read it.
  process.env[VARIABLES.nodeEnv] = "development";
  loadEnvFiles(options.root, "development", process.env);
  const devHost = await createDevHost(options);
  try {
    await serveFrom(devHost, options, output);
  } finally {
    // Its file watcher would keep a failed process running.
    await devHost.close();
  }
}

async function serveFrom(devHost: DevHost, { root, host, port }: DevTask, output: Output): Promise<void> {
  const ended = endRequested();
  const closing = new AbortController();
  const pages = new DevPages();
  const news = new DevReporter(root, pages, output);
  const site = new SiteRules({ siteOrigin: undefined, allowedHosts: [], isProduction: false });
  const endpoints = new DevEndpoints({ root, site, host: devHost, pages, news, closing: closing.signal });
  const link = new OperatorLink(systemClock, output, process.stdin);
  const stage = stageOf(devHost, root, news, endpoints, link);
  const first = await stage.load();
  const config = first?.config ?? readConfig(process.env);
  for (const entry of config.allowedHosts) site.allow(entry);
  const listening = await listen(
    (message, reply) => serve(stage, endpoints, message, reply),
    {
      host: host ?? config.host,
      port: port ?? config.port,
      canFallBack: port === undefined && !config.isPortFixed,
      refuse: (error) => (stage.current ?? endpoints).refuse(error),
    },
    (error) => output.error(String(error)),
  );
  site.listensAt(listening.url);
  const app = await stage.boot(listening.url).catch(async (error: unknown) => {
    await listening.close(0);
    throw error;
  });
  if (app) banner(app, listening.url, Math.round(performance.now()), output);
  else output.line(`Waiting for an edit  ${listening.url}`);
  link.print(app, listening.url);
  const unbind = link.onKey(() => link.print(stage.current, listening.url));
  const stop = watch({
    host: devHost,
    root,
    written: [resolve(config.dataDir), join(root, "dist")],
    onCode: () => stage.changed(),
    onSettings: (name) => output.line(`${name} has changed. Restart svc dev to apply it.`),
    onStyle: (path) => pages.send({ event: "style", data: path }),
  });
  await ended;
  unbind();
  stop();
  closing.abort();
  await Promise.all([stage.close(), listening.close(DRAIN_MS)]);
}

function stageOf(
  host: DevHost,
  root: string,
  news: DevReporter,
  endpoints: DevEndpoints,
  link: OperatorLink,
): DevReloader {
  return new DevReloader({
    host,
    root,
    support: {
      manifest: () => host.manifest(),
      chunk: (name) =>
        host.chunk(name).catch((error: unknown) => {
          news.brokenChunk(error, `${PATHS.handler}/${name}.js`);
          throw error;
        }),
      script: (nonce, caught) => news.script(nonce, caught),
      kept: (id) => endpoints.kept(id),
      faultPage: (error, nonce) => news.faultPage(error, nonce),
      operatorLink: link.token,
    },
    onReady: (tookMs) => news.ready(tookMs),
    onFault: (error) => news.broken(error),
  });
}

async function serve(
  stage: DevReloader,
  endpoints: DevEndpoints,
  message: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const path = (message.url ?? "/").split("?")[0] ?? "/";
  if (endpoints.owns(path)) return endpoints.answer(message, reply);
  // Requests of open pages continue while the source does not compile. The fault has been reported.
  const app = await stage.app().catch(() => (path.startsWith(`${BASE_PATH}/`) ? stage.current : undefined));
  return app ? app.handler(message, reply) : endpoints.answer(message, reply);
}
