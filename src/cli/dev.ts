/**
 * `svc dev`: serves the app from source. The socket stays open while the app behind it is replaced after each change;
 * requests wait for the new one, and open pages load themselves anew (app/render-page.ts).
 */
import type { ServerResponse } from "node:http";
import { join, relative, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import type { App } from "../app/app.ts";
import { createDevHost, type DevHost } from "../compiler/dev.ts";
import { listen } from "../http/server.ts";
import { SvcError } from "../shared/errors.ts";
import { escapeText } from "../shared/escape.ts";
import type { CommandOptions } from "./arguments.ts";
import { banner } from "./banner.ts";
import { explain } from "./explain.ts";
import { appOf } from "./load-app.ts";
import type { Output } from "./output.ts";
import { endRequested } from "./signals.ts";

/** Editors save several files at once; one reload is enough. */
const QUIET_MS = 40;
const DRAIN_MS = 2000;

export async function dev({ root, host, port }: CommandOptions, output: Output): Promise<void> {
  const devHost = await createDevHost({ root });
  const ended = endRequested();
  const stage = new Stage(devHost, root, output);
  const { config } = await stage.load();
  const address = { host: host ?? config.host, port: port ?? config.port };
  const canFallBack = port === undefined && !config.isPortFixed;
  const listening = await listen(
    async (message, reply) => {
      const app = await stage.app().catch((error: unknown) => tellBroken(reply, error));
      await app?.handler(message, reply);
    },
    { ...address, canFallBack },
    (error) => output.error(String(error)),
  );
  const app = await stage.boot(listening.url);
  banner(app, listening.url, Math.round(performance.now()), output);
  const written = [resolve(config.dataDir), join(root, "dist")];
  const stop = devHost.onChange((file) => {
    // What the app itself writes is no edit: its database would reload it for ever.
    if (!written.some((folder) => isInside(folder, file))) stage.changed();
  });
  await ended;
  stop();
  await Promise.all([stage.close(), listening.close(DRAIN_MS)]);
  await devHost.close();
}

/** While the source does not compile every request is answered with why; a browser asks again by itself. */
function tellBroken(reply: ServerResponse, error: unknown): undefined {
  const page = `<!doctype html><html lang="en" style="color-scheme:light dark"><title>Does not compile</title><pre style="padding:1rem">${escapeText(explain(error))}</pre></html>`;
  reply.writeHead(500, { "content-type": "text/html; charset=utf-8", refresh: "1", "cache-control": "no-store" });
  reply.end(page);
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return !path.startsWith("..") && path !== "";
}

/** The app that is on, and the one that comes after it. */
class Stage {
  readonly #host: DevHost;
  readonly #root: string;
  readonly #output: Output;
  #current: App | undefined;
  #url = "";
  /** Settles when the app that is to answer has booted. */
  #next: Promise<App> | undefined;
  /** Settles `#next` after an edit. */
  #answer: ((app: Promise<App>) => void) | undefined;
  /** What `#next` was before the edit. */
  #before: Promise<App> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(host: DevHost, root: string, output: Output) {
    this.#host = host;
    this.#root = root;
    this.#output = output;
  }

  async load(): Promise<App> {
    this.#current = appOf(await this.#host.loadApp(), this.#root);
    return this.#current;
  }

  boot(url: string): Promise<App> {
    this.#url = url;
    return (this.#next = this.#boot());
  }

  /** @throws SvcError `SVC_UNAVAILABLE` while the source does not compile. */
  async app(): Promise<App> {
    if (!this.#next) throw new SvcError("SVC_UNAVAILABLE", "The app is not loaded yet");
    return this.#next;
  }

  /** Requests wait from here on: what answers them is out of date. */
  changed(): void {
    clearTimeout(this.#timer);
    if (!this.#answer) {
      this.#before = this.#next;
      this.#next = new Promise((done) => (this.#answer = done));
      // A failure is told by #replace; here it may happen that no request waits for it.
      this.#next.catch(() => undefined);
    }
    this.#timer = setTimeout(() => this.#replace(), QUIET_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#current?.close();
  }

  #replace(): void {
    const before = this.#before;
    const next = (async () => {
      await before?.catch(() => undefined); // told when it failed
      // One process, one database: the old app gives it back first.
      await this.#current?.close();
      await this.load();
      return this.#boot();
    })();
    this.#answer?.(next);
    this.#answer = undefined;
    next.then(
      () => this.#output.line(this.#output.style("dim", "Reloaded")),
      (error: unknown) => this.#output.error(`${this.#output.style("red", "Error")} ${explain(error)}`),
    );
  }

  async #boot(): Promise<App> {
    const app = this.#current as App;
    await app.boot({ dev: this.#host, publicDir: join(this.#root, "public"), url: this.#url });
    return app;
  }
}
