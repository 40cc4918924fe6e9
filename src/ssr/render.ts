/**
 * One page being rendered: its scopes, the values they capture, the event types it uses. Rendering is synchronous, so the
 * current page is a variable of this module, set and put back around each render.
 */
import { systemClock, type Clock } from "../shared/clock.ts";
import { DOM } from "../shared/wire.ts";
import { rememberParts } from "../reactivity/server-store.ts";
import { SvcError } from "../shared/errors.ts";
import type { Json } from "../shared/json.ts";
import type { Theme } from "../shared/themes.ts";
import type { Manifest } from "../shared/manifest.ts";
import type { Block } from "./block.ts";
import { PageEvents } from "./events.ts";
import { PageFeatures } from "./features.ts";
import { moduleNeeds, type ScopeModules } from "./needs.ts";
import { checkedNesting, marked } from "./nesting-check.ts";
import type { ValueNames } from "./value-names.ts";
import { placed } from "./placing.ts";
import { PieceMarks } from "./piece-marks.ts";
import { referenceOf, type FunctionReference } from "./function-props.ts";
import { ValueTable, type Made } from "./values.ts";
import type { Moved } from "./placing.ts";
import { t } from "./write.ts";

/** Part of the runtime that takes in what comes after the state script. */
const STREAM = "stream";
/** Part of scopes inside of an error boundary. */
const BOUNDARY = "boundary";

/** Part of the runtime that makes function props. */
const FUNCTIONS = "fn";

/** Part of scopes on pages without a token of their own whose code may call actions: fetches one. */
const TOKEN = "token";

/** What names of chunks begin with. */
const HANDLER = "handler/";

const SCOPE = new RegExp(`( ${DOM.scope}=")(\\d+) [^"<>]*"`, "g");

/** How far the browser knows the page. */
interface Told {
  scopes: number;
  values: number;
  needs: Record<string, string[]>;
}

/** `[chunk, bind, ...slots]`, as written into the state script. */
export type ScopeEntry = [chunk: string, bind: string | 0, ...slots: number[]];

/** What a late piece adds to the state. `u`: resources that are there by now. */
export interface MoreState {
  s: Record<string, ScopeEntry>;
  v: Json[];
  r: Record<string, number[]>;
  n: Record<string, string[]>;
  u: Record<string, Json[]>;
}

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
  readonly #names: ValueNames | undefined;
  readonly events = new PageEvents();
  readonly features = new PageFeatures();
  readonly scopes = new Map<number, ScopeEntry>();
  readonly values = new ValueTable();
  readonly pieces = new PieceMarks();
  /** What boundaries have caught, and what went wrong in cleanups; for the server's log. */
  readonly errors: unknown[] = [];
  readonly #modules = new Map<number, ScopeModules>();
  readonly #blocks = new Map<Block, readonly string[]>();
  #isGuarded = false;
  readonly #moved: Moved[] = [];
  #portals = 0;
  readonly #ends: (() => void)[] = [];
  #token: string | undefined;
  /** Event by which the components that are being written wake; undefined for their own. */
  #moment: string | undefined;
  /** What the browser has been told; undefined before the first state script. */
  #told: Told | undefined;
  #controller: AbortController | undefined;
  /** More state follows, which the part `stream` takes in. */
  #isStreaming = false;

  constructor(manifest: Manifest, csrfToken: () => string, settings: RenderSettings = {}) {
    const { clock = systemClock, deadlineMs = DEADLINE_MS, names } = settings;
    this.around = settings.around ?? ((call) => call());
    this.manifest = manifest;
    this.#csrfToken = csrfToken;
    this.#settings = settings;
    this.clock = clock;
    this.deadlineMs = deadlineMs;
    this.#names = names;
    if (!names) return;
    rememberParts();
    this.atEnd(() => names.restore());
  }

  /** Of the visitor; undefined in apps without themes. */
  get theme(): Theme | undefined {
    return this.#settings.theme;
  }

  /** Mistakes that cost time to find are looked for. */
  get isDevelopment(): boolean {
    return this.#names !== undefined;
  }

  /** The page's CSRF token, made when first asked for. */
  csrfToken(): string {
    return (this.#token ??= this.#csrfToken());
  }

  get usesCsrf(): boolean {
    return this.#token !== undefined;
  }

  /** The state script's content (docs/resume-protocol.md section 3). @throws SvcError `SVC201` */
  state(): Json {
    const v = this.values.toJson(0);
    const n = this.#needs();
    this.#told = { scopes: this.scopes.size, values: this.values.size, needs: n };
    const s: Record<string, ScopeEntry> = {};
    for (const [id, entry] of this.scopes) s[id] = entry;
    const token = this.#settings.isTokenless ? (this.#token ?? "") : this.csrfToken();
    const state: Record<string, Json> = { csrf_token: token, build: this.manifest.build, s, v, n };
    if (this.#names) state["d"] = this.values.names(this.#names);
    return state;
  }

  /** What came since the last state: new scopes, values, readers of older values, needs. @throws SvcError `SVC201` */
  moreState(): MoreState | undefined {
    const { scopes = 0, values = 0, needs = {} } = this.#told ?? {};
    const u = this.values.newlySettled();
    if (this.scopes.size === scopes && Object.keys(u).length === 0) return undefined;
    const v = this.values.toJson(values);
    const n = this.#needs();
    this.#told = { scopes: this.scopes.size, values: this.values.size, needs: n };
    const isNews = ([id, names]: [string, string[]]): boolean => names.length !== needs[id]?.length;
    return {
      s: Object.fromEntries([...this.scopes].filter(([id]) => id > scopes)),
      v,
      r: this.values.newReaders(values, scopes),
      u,
      n: Object.fromEntries(Object.entries(n).filter(isNews)),
      ...(this.#names && { d: this.values.names(this.#names).slice(values) }),
    };
  }

  #needs(): Record<string, string[]> {
    for (const scope of this.#modules.values()) {
      scope.all = this.#isStreaming ? withName(scope.own, STREAM) : scope.own;
      for (const index of scope.slots)
        for (const part of this.values.parts(index)) scope.all = withName(scope.all, part);
    }
    return moduleNeeds(this.#modules, this.values.readers());
  }

  /**
   * Has the scopes written before it was known that more comes name the part that takes it in, so that the browser fetches it
   * beside the rest. Text that happens to read like one of them can't be told apart here; `n` names the part once more.
   */
  nameStream(html: string): string {
    return html.replace(SCOPE, (attribute, open: string, id: string) => {
      const names = this.#modules.get(Number(id))?.own ?? [];
      const isScope = attribute === `${open}${id} ${names.join(" ").slice(HANDLER.length)}"`;
      return isScope && !names.includes(STREAM) ? `${attribute.slice(0, -1)} ${STREAM}"` : attribute;
    });
  }

  /** From here on what is written comes after a state script. */
  beginStream(): void {
    this.#isStreaming = true;
  }

  /** Event by which the components that are being written wake. */
  get moment(): string | undefined {
    return this.#moment;
  }

  /** Writes components that wake at a moment: each at the event `type` of its root. */
  atMoment(type: string | undefined, write: () => string): string {
    const outer = this.#moment;
    this.#moment = type;
    try {
      return write();
    } finally {
      this.#moment = outer;
    }
  }

  /** Whether a boundary catches what fails in the browser of the scopes that are being written. */
  get isGuarded(): boolean {
    return this.#isGuarded;
  }

  /** Writes scopes inside of a boundary, or of none. */
  guard(isGuarded: boolean, write: () => string): string {
    const outer = this.#isGuarded;
    this.#isGuarded = isGuarded;
    try {
      return write();
    } finally {
      this.#isGuarded = outer;
    }
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
    for (let id = this.scopes.size; id > mark.scopes; id--) {
      this.scopes.delete(id);
      this.#modules.delete(id);
    }
    this.#moved.length = mark.moved;
    this.values.rollBack(mark.values, mark.scopes);
  }

  addScope(block: Block, bound: number, slots: readonly unknown[]): string {
    const chunk = this.#chunkOf(block);
    this.#names?.meet(block, slots);
    const id = this.scopes.size + 1;
    const entry: ScopeEntry = [chunk, block.bind];
    const indices: number[] = [];
    // A page may have thousands of scopes: most name the modules that their block does, and share the list.
    let modules = this.#modulesOf(block, chunk);
    for (let slot = 0; slot < slots.length; slot++) {
      const index = this.#indexOf(slots[slot], slot < bound ? id : undefined, block, slot);
      indices.push(index, ...this.values.madeFrom(index));
      entry.push(index);
      for (const part of this.values.likelyParts(index)) modules = withName(modules, part);
    }
    if (this.#isStreaming) modules = withName(modules, STREAM);
    if (this.#isGuarded) modules = withName(modules, BOUNDARY);
    this.scopes.set(id, entry);
    this.#modules.set(id, { own: modules, all: modules, slots: indices });
    const parts = modules.length === 1 ? "" : ` ${modules.slice(1).join(" ")}`;
    return ` ${DOM.scope}="${id} ${chunk}${parts}"${this.#momentOf(block)}`;
  }

  #indexOf(value: unknown, reader: number | undefined, captor: Block, slot: number): number {
    const reference = referenceOf(value);
    if (reference && !this.values.has(value)) this.values.addMade(value, this.#made(reference), captor, slot);
    return this.values.add(value, reader, captor, slot);
  }

  /** What the browser makes a component's function prop from. */
  #made({ block, symbol, slots }: FunctionReference): Made {
    const chunk = this.#chunkOf(block);
    this.#names?.meet(block, slots);
    const indices = slots.map((value, slot) => this.#indexOf(value, undefined, block, slot));
    const modules = [FUNCTIONS, HANDLER + chunk, ...block.parts, ...this.#tokenOf(chunk)];
    const parts = indices.flatMap((index) => this.values.likelyParts(index));
    return { content: [chunk, symbol, ...indices], slots: indices, modules: [...new Set([...modules, ...parts])] };
  }

  #chunkOf({ moduleId }: Block): string {
    const chunk = this.manifest.chunks[moduleId];
    if (chunk !== undefined) return chunk;
    throw new SvcError("SVC_DEFINITION", `The build has no browser chunk for ${moduleId}; build the app again`);
  }

  /** Modules that every scope of a block names: its chunk, then parts. */
  #modulesOf(block: Block, chunk: string): readonly string[] {
    let modules = this.#blocks.get(block);
    if (!modules) {
      for (const name of block.events) {
        this.events.add(name);
        this.features.meet(name);
      }
      for (const name of block.parts) this.features.meet(name);
      modules = [HANDLER + chunk, ...block.parts, ...this.#tokenOf(chunk)];
      this.#blocks.set(block, modules);
    }
    return modules;
  }

  #tokenOf(chunk: string): readonly string[] {
    if (!this.#settings.isTokenless) return [];
    return this.manifest.callers?.includes(chunk) === false ? [] : [TOKEN];
  }

  /** Names a handler that there isn't: the event does no more than wake its scope. One of the author's does as well. */
  #momentOf(block: Block): string {
    if (this.#moment === undefined || block.events.includes(this.#moment)) return "";
    this.events.add(this.#moment);
    return ` ${DOM.on}${this.#moment}="${DOM.noHandler}"`;
  }
}

/** The list itself where it has the name already. */
function withName(names: readonly string[], name: string): readonly string[] {
  return names.includes(name) ? names : [...names, name];
}

let current: Render | undefined;

/** The page being rendered, if any. */
export function renderInProgress(): Render | undefined {
  return current;
}

/** The page being rendered. @throws SvcError `SVC_DEFINITION` outside of a render. */
export function currentRender(): Render {
  if (current) return current;
  throw new SvcError("SVC_DEFINITION", "This part of a page can only be rendered inside a page's view");
}

/** Renders a view's value to HTML with `render` as the current page. */
export function renderInto(render: Render, view: () => unknown): string {
  const outer = current;
  current = render;
  try {
    return render.isDevelopment ? checkedNesting(t(view())) : t(view());
  } finally {
    current = outer;
  }
}

/** The same, with what portals have moved in its place. */
export function renderPlaced(render: Render, view: () => unknown): string {
  const written = renderInto(render, view);
  const moved = render.takeMoved();
  return moved.length === 0 ? written : placed(written, moved);
}

// What compiled modules call.

export function block(
  moduleId: string,
  bind: string | 0,
  events: readonly string[],
  parts: readonly string[],
  names: readonly string[] = [],
): Block {
  return { moduleId, bind, events, parts, names };
}

/** @param bound how many of `slots`, from the front, the bindings read. @returns the scope attribute. */
export function scope(scopeBlock: Block, bound: number, slots: readonly unknown[]): string {
  return currentRender().addScope(scopeBlock, bound, slots);
}

/** HTML that the component made which returned last. */
let lastMade: string | undefined;

/** What every compiled component returns its HTML through. */
export function made(html: string): string {
  lastMade = html;
  return html;
}

/**
 * Calls a component. One that is compiled returns HTML text, by way of `made`; any other function may stand in a tag too, and
 * a text of its own is text. One with a `<Slot>` takes its props twice.
 */
export function component<Props>(fn: (props: Props, own: Props) => unknown, props: Props): string {
  const result = fn(props, props);
  const html = typeof result === "string" && result === lastMade ? result : t(result);
  return current?.isDevelopment ? marked(fn.name, html) : html;
}
