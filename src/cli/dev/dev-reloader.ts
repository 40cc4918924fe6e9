/**
 * The app that is on, and the one that comes after it. Requests wait from the edit until the new app has booted; one process
 * has one database, so the old app gives it back first, once the new one is known to load.
 */
import { join } from "node:path";
import type { App } from "../../app/app-types.ts";
import type { DevSupport } from "../../app/options.ts";
import type { DevHost } from "../../web/compiler/dev/dev-host.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { appOf } from "../load-app.ts";

/**
 * Editors save several files at once, and one file twice when they format it; one new app is enough. Longer than the watcher
 * stays deaf to a file that it has just told of (50 ms), or the second save of two would go unseen.
 */
export const QUIET_MS = 60;

export interface DevReloaderOptions {
  host: DevHost;
  root: string;
  support: DevSupport;
  /** Told when an app answers. @param took ms since the edit; undefined for the first one. */
  onReady: (tookMs: number | undefined) => void;
  /** Told when there is none, and why. */
  onFault: (error: unknown) => void;
}

export class DevReloader {
  readonly #options: DevReloaderOptions;
  #current: App | undefined;
  #url = "";
  /** Settles when the app that is to answer has booted. */
  #next: Promise<App> | undefined;
  /** Settles `#next` after an edit. */
  #answer: ((app: Promise<App>) => void) | undefined;
  /** What `#next` was before the edit. */
  #before: Promise<App> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #changedMs = 0;

  constructor(options: DevReloaderOptions) {
    this.#options = options;
  }

  /** The first app; undefined while it does not load, which is told. */
  async load(): Promise<App | undefined> {
    try {
      this.#current = await this.#load();
    } catch (error) {
      this.#options.onFault(error);
    }
    return this.#current;
  }

  /** @param url where the app is reached. */
  async boot(url: string): Promise<App | undefined> {
    this.#url = url;
    if (!this.#current) return undefined;
    this.#next = this.#boot();
    const app = await this.#next;
    this.#options.onReady(undefined);
    return app;
  }

  /** @throws SvcError `SVC_UNAVAILABLE` before the first app has loaded; what the app's own code threw while it does not load. */
  async app(): Promise<App> {
    if (!this.#next) throw new SvcError("SVC_UNAVAILABLE", "The app is not loaded yet");
    return this.#next;
  }

  /** The last app that loaded: while the source does not, it still serves the pages that are open. */
  get current(): App | undefined {
    return this.#current;
  }

  /** Requests wait from here on: what answers them is out of date. */
  changed(): void {
    clearTimeout(this.#timer);
    if (!this.#answer) {
      this.#changedMs = performance.now();
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
    const { onReady, onFault } = this.#options;
    const next = (async () => {
      await before?.catch(() => undefined); // told when it failed
      const loaded = await this.#load();
      await this.#current?.close();
      this.#current = loaded;
      return this.#boot();
    })();
    this.#answer?.(next);
    this.#answer = undefined;
    next.then(() => onReady(performance.now() - this.#changedMs), onFault);
  }

  async #load(): Promise<App> {
    const { host } = this.#options;
    return appOf(await host.loadApp(), host.entry);
  }

  async #boot(): Promise<App> {
    const app = this.#current as App;
    const { root, support } = this.#options;
    await app.boot({ dev: support, publicDir: join(root, "public"), url: this.#url });
    return app;
  }
}
