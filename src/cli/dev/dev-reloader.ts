/**
 * The running app and its successor. After an edit, requests wait until the new app has booted. A process has one database, so the old
 * app closes it first, once the new app has loaded.
 */
import { join } from "node:path";
import type { App } from "../../app/app-types.ts";
import type { DevSupport } from "../../app/options.ts";
import type { DevHost } from "../../web/compiler/dev/dev-host.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { appOf } from "../load-app.ts";
import { collectGarbage } from "./collect-garbage.ts";

/**
 * Editors save several files at once, and save a file twice when they format it: one reload is enough. The watcher ignores a file for 50
 * ms after a change, so the wait is longer than that.
 */
export const QUIET_MS = 60;

export interface DevReloaderOptions {
  host: Pick<DevHost, "entry" | "loadApp">;
  root: string;
  support: DevSupport;
  /** Called when an app is ready. @param tookMs milliseconds since the edit; undefined for the first app. */
  onReady: (tookMs: number | undefined) => void;
  /** Called when no app could be loaded, with the reason. */
  onFault: (error: unknown) => void;
}

interface LoadedApp {
  readonly app: App;
  /** Closes what its modules opened. */
  dispose(): Promise<void>;
}

/** The load itself reports its failure. */
const ignore = (): void => undefined;

export class DevReloader {
  readonly #options: DevReloaderOptions;
  #current: LoadedApp | undefined;
  #url = "";
  /** Resolves with the app that answers waiting requests. */
  #next: Promise<App> | undefined;
  /** Resolves `#next` after an edit. */
  #answer: ((app: Promise<App>) => void) | undefined;
  /** Ends when the last load or replacement has ended, however it did. It keeps no app in memory. */
  #turn: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #changedMs = 0;
  /** Number of loads that edits have asked for. */
  #asked = 0;

  constructor(options: DevReloaderOptions) {
    this.#options = options;
  }

  /** Loads the first app. Undefined if it does not load; the error is reported. */
  async load(): Promise<App | undefined> {
    try {
      this.#current = await this.#load();
    } catch (error) {
      this.#options.onFault(error);
    }
    return this.#current?.app;
  }

  /** @param url address of the app. */
  async boot(url: string): Promise<App | undefined> {
    this.#url = url;
    if (!this.#current) return undefined;
    this.#next = this.#boot();
    this.#turn = this.#next.then(ignore, ignore);
    const app = await this.#next;
    this.#options.onReady(undefined);
    return app;
  }

  /** @throws SvcError `SVC_UNAVAILABLE` before the first app has loaded; the app's own error while it does not load. */
  async app(): Promise<App> {
    if (!this.#next) throw new SvcError("SVC_UNAVAILABLE", "The app is not loaded yet");
    return this.#next;
  }

  /** The last app that loaded. It serves open pages while the source does not compile. */
  get current(): App | undefined {
    return this.#current?.app;
  }

  /** Lets requests wait from here on, because the running app is out of date. */
  changed(): void {
    clearTimeout(this.#timer);
    if (!this.#answer) {
      this.#changedMs = performance.now();
      this.#asked++;
      this.#next = new Promise((done) => (this.#answer = done));
      // #replace reports the failure. No request may be waiting for this promise.
      this.#next.catch(ignore);
    }
    this.#timer = setTimeout(() => this.#replace(), QUIET_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#current?.app.close();
    await this.#current?.dispose();
  }

  #replace(): void {
    const { onReady, onFault } = this.#options;
    // Not the promise of the app: closures that hold it would keep the app in memory, with its open files.
    const own = this.#asked;
    const before = this.#turn;
    const replaced = (async () => {
      await before;
      const loaded = await this.#load();
      const last = this.#current;
      this.#current = loaded;
      await last?.app.close();
      await last?.dispose();
      return this.#boot();
    })();
    this.#turn = replaced.then(ignore, ignore);
    // An edit during the load lets modules run twice or lack their browser code, so only the load of that edit counts.
    const isOutdated = (): boolean => this.#asked !== own;
    this.#answer?.(
      replaced.then(
        (app) => (isOutdated() ? this.app() : app),
        (error: unknown) => {
          if (isOutdated()) return this.app();
          throw error;
        },
      ),
    );
    this.#answer = undefined;
    replaced.then(
      () => {
        onReady(performance.now() - this.#changedMs);
        // The old app is no longer in use.
        setImmediate(collectGarbage);
      },
      (error: unknown) => {
        if (!isOutdated()) onFault(error);
      },
    );
  }

  async #load(): Promise<LoadedApp> {
    const { host } = this.#options;
    const loaded = await host.loadApp();
    try {
      return { app: appOf(loaded, host.entry), dispose: () => loaded.dispose() };
    } catch (error) {
      await loaded.dispose();
      throw error;
    }
  }

  async #boot(): Promise<App> {
    const { app } = this.#current as LoadedApp;
    const { root, support } = this.#options;
    await app.boot({ dev: support, publicDir: join(root, "public"), url: this.#url });
    return app;
  }
}
