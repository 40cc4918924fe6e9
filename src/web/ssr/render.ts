/** One page being rendered: its scopes and the values they capture, the event types it uses, and what it takes along of the request. */
import { rememberParts } from "../reactivity/server-store.ts";
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

/** How many scopes and values there were. */
export interface RenderMark {
  scopes: number;
  values: number;
  moved: number;
}

export interface RenderSettings {
  /** Time by which pieces are late. Default: the system's. */
  clock?: Clock;
  /** How long a piece may take. Default 30 s. */
  deadlineMs?: number | undefined;
  /** Has `call` run as part of the request, also what it waits for. */
  around?: <T>(call: () => T) => T;
  /** Whose page it is, for components that ask; nothing here looks into it. */
  readonly host?: object | undefined;
  /** Given in development only. */
  names?: ValueNames | undefined;
  /** What the visitor has chosen; undefined in apps without themes. Read when it is first needed. */
  readonly theme?: Theme | undefined;
  /** The page is for many: it has no token of its own, and fetches one where its code may call an action. */
  isTokenless?: boolean;
}

/** How long a piece may take where nothing else is said: longer than most proxies let a silent answer be. */
const DEADLINE_MS = 30_000;

export class Render {
  readonly manifest: Manifest;
  readonly clock: Clock;
  /** How long a piece may take. */
  readonly deadlineMs: number;
  /** Has a call run as part of the request. */
  readonly around: <T>(call: () => T) => T;
  readonly #csrfToken: () => string;
  readonly #settings: RenderSettings;
  readonly events = new PageEvents();
  readonly features = new PageFeatures();
  readonly values = new ValueTable();
  readonly scopes: PageScopes;
  readonly #state: PageState;
  readonly pieces = new DeferredMarks();
  /** What boundaries have caught, and what went wrong in cleanups; for the server's log. */
  readonly errors: unknown[] = [];
  readonly #moved: Moved[] = [];
  #portals = 0;
  readonly #ends: (() => void)[] = [];
  #token: string | undefined;
  #controller: AbortController | undefined;

  constructor(manifest: Manifest, csrfToken: () => string, settings: RenderSettings = {}) {
    const { clock = systemClock, deadlineMs = DEADLINE_MS, names, isTokenless = false } = settings;
    const { values, events, features } = this;
    this.around = settings.around ?? ((call) => call());
    this.manifest = manifest;
    this.#csrfToken = csrfToken;
    this.#settings = settings;
    this.clock = clock;
    this.deadlineMs = deadlineMs;
    this.scopes = new PageScopes({ manifest, values, events, features, names, isTokenless });
    this.#state = new PageState(this.scopes, values, names);
    if (!names) return;
    rememberParts();
    this.atEnd(() => names.restore());
  }

  /** Whose page it is. */
  get host(): object | undefined {
    return this.#settings.host;
  }

  /** Of the visitor; undefined in apps without themes. */
  get theme(): Theme | undefined {
    return this.#settings.theme;
  }

  /** Mistakes that cost time to find are looked for. */
  get isDevelopment(): boolean {
    return this.#settings.names !== undefined;
  }

  /** The page's CSRF token, made when first asked for. */
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

  /** What came since the last state. @throws SvcError `SVC201` */
  moreState(): MoreState | undefined {
    return this.#state.more();
  }

  /** Keeps content of a portal until the page is put together. */
  move(content: Moved): void {
    const { to, html } = content;
    this.#moved.push({ to, html: this.isDevelopment ? checkedNesting(html) : html });
  }

  nextPortal(): number {
    return ++this.#portals;
  }

  /** What portals have moved since this was last asked. */
  takeMoved(): Moved[] {
    return this.#moved.splice(0);
  }

  /** Has `run` called when the page is written. */
  atEnd(run: () => void): void {
    this.#ends.push(run);
  }

  /** To be called when the page is written, or given up: undoes what effects have begun. Errors can't change the page any more. */
  end(): void {
    for (const run of this.#ends.splice(0)) {
      try {
        run();
      } catch (error) {
        this.errors.push(error);
      }
    }
  }

  /** Aborts when the page has ended, or is given up: what is still being fetched for it is of no use. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    const controller = (this.#controller = new AbortController());
    this.atEnd(() => controller.abort(new DOMException("The page has ended", "AbortError")));
    return controller.signal;
  }

  /** What has been rendered so far, to come back to. */
  mark(): RenderMark {
    return { scopes: this.scopes.size, values: this.values.size, moved: this.#moved.length };
  }

  /** Forgets the scopes made since `mark`, and the values that only they capture. */
  rollBack(mark: RenderMark): void {
    this.scopes.rollBack(mark.scopes);
    this.#moved.length = mark.moved;
    this.values.rollBack(mark.values, mark.scopes);
  }
}
