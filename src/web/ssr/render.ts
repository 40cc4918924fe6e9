/** State of one page render: scopes, captured values, event types, deferred content, and settings from the request. */
import type { CreatedState } from "../reactivity/server-store.ts";
import { systemClock, type Clock } from "../../platform/shared/clock.ts";
import type { Manifest } from "../../platform/shared/manifest.ts";
import type { Theme } from "../../platform/shared/themes.ts";
import { PageEvents } from "./page-events.ts";
import { PageFeatures } from "./widget-scripts.ts";
import { checkedNesting } from "./nesting-check.ts";
import { PageState, type MoreState } from "./resume/page-state.ts";
import { DeferredMarks } from "./streaming/deferred-marks.ts";
import type { Moved } from "./components/insert-portals.ts";
import { PageScopes } from "./resume/scopes.ts";
import type { ValueNames } from "./resume/value-names.ts";
import { ValueTable } from "./resume/values.ts";

/** Counts of scopes, values and portal contents at one point of the render, for a rollback. */
export interface RenderMark {
  scopes: number;
  values: number;
  moved: number;
}

export interface RenderSettings {
  /** Clock for the deadlines of deferred content. Default: the system clock. */
  clock?: Clock;
  /** Time limit for deferred content. Default: 30 s. */
  deadlineMs?: number | undefined;
  /** Runs `call`, and the asynchronous work that it starts, in the request's context. */
  around?: <T>(call: () => T) => T;
  /** Owner of the page, for components that need it. This package does not read it. */
  readonly host?: object | undefined;
  /** Given in development only. */
  names?: ValueNames | undefined;
  /** The visitor's theme; undefined in apps without themes. Read lazily. */
  readonly theme?: Theme | undefined;
  /** Caches may share the page: it contains no token, and fetches one if its code may call an action. */
  isTokenless?: boolean;
}

/** Default time limit for deferred content. Longer than the idle timeout of most proxies. */
const DEADLINE_MS = 30_000;

export class Render {
  readonly manifest: Manifest;
  readonly clock: Clock;
  /** Time limit for deferred content. */
  readonly deadlineMs: number;
  /** Runs a call in the request's context. */
  readonly around: <T>(call: () => T) => T;
  readonly #csrfToken: () => string;
  readonly #settings: RenderSettings;
  readonly events = new PageEvents();
  readonly features: PageFeatures;
  readonly values = new ValueTable();
  readonly scopes: PageScopes;
  readonly #state: PageState;
  readonly deferred = new DeferredMarks();
  /** Errors that boundaries caught, and errors of cleanups, for the server's log. */
  readonly errors: unknown[] = [];
  readonly #moved: Moved[] = [];
  readonly created: CreatedState = { unread: [], isAny: false };
  #portals = 0;
  readonly #ends: (() => void)[] = [];
  #token: string | undefined;
  #controller: AbortController | undefined;

  constructor(manifest: Manifest, csrfToken: () => string, settings: RenderSettings = {}) {
    const { clock = systemClock, deadlineMs = DEADLINE_MS, names, isTokenless = false } = settings;
    const features = (this.features = new PageFeatures(manifest.styles));
    const { values, events } = this;
    this.around = settings.around ?? ((call) => call());
    this.manifest = manifest;
    this.#csrfToken = csrfToken;
    this.#settings = settings;
    this.clock = clock;
    this.deadlineMs = deadlineMs;
    this.scopes = new PageScopes({ manifest, values, events, features, names, isTokenless });
    this.#state = new PageState(this.scopes, values, names);
    if (!names) return;
    this.atEnd(() => names.restore());
  }

  /** Owner of the page. */
  get host(): object | undefined {
    return this.#settings.host;
  }

  /** The visitor's theme; undefined in apps without themes. */
  get theme(): Theme | undefined {
    return this.#settings.theme;
  }

  /** Whether development checks run. */
  get isDevelopment(): boolean {
    return this.#settings.names !== undefined;
  }

  /** The page's CSRF token, created at the first call. */
  csrfToken(): string {
    return (this.#token ??= this.#csrfToken());
  }

  get usesCsrf(): boolean {
    return this.#token !== undefined;
  }

  /** The state script's content, as JSON. @throws SvcError `SVC201` */
  state(): string {
    const token = this.#settings.isTokenless ? (this.#token ?? "") : this.csrfToken();
    return this.#state.first(token, this.manifest.build);
  }

  /** The state added since the last call of `state` or `moreState`. @throws SvcError `SVC201` */
  moreState(): MoreState | undefined {
    return this.#state.more();
  }

  /** Stores the content of a portal until the page is assembled. */
  move(content: Moved): void {
    const { to, html } = content;
    this.#moved.push({ to, html: this.isDevelopment ? checkedNesting(html) : html });
  }

  nextPortal(): number {
    return ++this.#portals;
  }

  /** Returns and clears the portal contents collected since the last call. */
  takeMoved(): Moved[] {
    return this.#moved.splice(0);
  }

  /** Registers `run` as a callback for the end of the render. */
  atEnd(run: () => void): void {
    this.#ends.push(run);
  }

  /** Call this when the page is complete or abandoned. It runs cleanups and collects their errors: the page can't change any more. */
  end(): void {
    for (const run of this.#ends.splice(0)) {
      try {
        run();
      } catch (error) {
        this.errors.push(error);
      }
    }
  }

  /** Aborts when the page is complete or abandoned, so that pending fetches for it stop. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    const controller = (this.#controller = new AbortController());
    this.atEnd(() => controller.abort(new DOMException("The page has ended", "AbortError")));
    return controller.signal;
  }

  /** Returns a mark to which `rollBack` can return. */
  mark(): RenderMark {
    return { scopes: this.scopes.size, values: this.values.size, moved: this.#moved.length };
  }

  /** Removes the scopes added since `mark`, and the values that only they capture. */
  rollBack(mark: RenderMark): void {
    this.scopes.rollBack(mark.scopes);
    this.#moved.length = mark.moved;
    this.values.rollBack(mark.values, mark.scopes);
  }
}
