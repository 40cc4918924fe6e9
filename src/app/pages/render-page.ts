/** Handles requests for pages: loads data, renders, and forbids caching of responses that contain a token. */
import { RequestContext } from "../../platform/http/request/context.ts";
import { html } from "../../platform/http/response/response.ts";
import { isPromise } from "../../platform/http/response/close-iterator.ts";
import type { Context, Handler, Result } from "../../platform/http/types.ts";
import type { Navigation, Prefetch } from "../../web/ssr/document.ts";
import type { PageStream } from "../../web/ssr/streaming/page-stream.ts";
import { renderPage, type PageRenderOptions } from "../../web/ssr/render-page.ts";
import { ValueNames } from "../../web/ssr/resume/value-names.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { Manifest } from "../../platform/shared/manifest.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { inlineHash } from "../../platform/security/inline-hashes.ts";
import { remembered } from "../../platform/shared/collections/memoize.ts";
import { themeOf, type Theme } from "../../platform/shared/themes.ts";
import { COOKIES, HEADERS } from "../../platform/shared/wire.ts";
import { cachedPageHandler, type MadePage } from "./cached-page.ts";
import { PRIVATE, type CacheRules } from "./cache-rules.ts";
import { withContext } from "../pipeline/current-request.ts";
import { withoutFlash } from "./prefetch.ts";
import { PAGE_MARK } from "../pipeline/page-mark.ts";
import type { PageDefinition, PreparedPage } from "./page.ts";
import type { Services } from "../services.ts";
import { POLICY_SCRIPT } from "../pipeline/trusted-types.ts";
import { tokenFor } from "../pipeline/csrf-guard.ts";
import { PageHost } from "./use-app.ts";

/** Pages may be personal, and each has a new nonce, so browsers revalidate them each time. */
const PRIVATE_HEADERS = ["cache-control", PRIVATE, ...PAGE_MARK];

/** Disables buffering in proxies, which would delay a streamed page. */
const UNBUFFERED = ["x-accel-buffering", "no"];

export function pageHandler(definition: PageDefinition, services: Services): Handler {
  const answer = (ctx: Context, prepared: PreparedPage, manifest: Manifest): Result | Promise<Result> => {
    const sessionId = sessionOf(ctx);
    const options = new PageRequest(ctx, prepared, services, manifest, definition);
    const rendered = services.phases.time(ctx, "render", () => renderPage(prepared.view, options));
    if (rendered.stream) return streamed(rendered.stream, prepared.status, () => requireSameSession(ctx, sessionId));
    for (const err of rendered.errors) {
      services.log.error(
        { reqId: ctx.requestId, traceId: ctx.trace.traceId, page: definition.path, err },
        "A part of a page failed, inside an error boundary",
      );
    }
    requireSameSession(ctx, sessionId);
    return html(rendered.html, prepared.status, PRIVATE_HEADERS);
  };
  if (definition.cache) return withoutFlash(cachedHandler(definition, definition.cache, services));
  return withoutFlash((ctx) => {
    const prepared = services.phases.time(ctx, "load", () => definition.prepare(ctx));
    const manifest = services.site.manifest();
    if (!isPromise(prepared) && !isPromise(manifest)) return answer(ctx, prepared, manifest);
    return Promise.all([prepared, manifest]).then((both) => answer(ctx, ...both));
  });
}

function cachedHandler(definition: PageDefinition, rules: CacheRules, services: Services): Handler {
  return cachedPageHandler({ path: definition.path, rules, services, make });

  async function make(ctx: RequestContext): Promise<MadePage> {
    const prepared = await services.phases.time(ctx, "load", () => definition.prepare(ctx));
    const manifest = await services.site.manifest();
    const sessionId = sessionOf(ctx);
    const options = new PageRequest(ctx, prepared, services, manifest, definition, rules.isPublic ? "shared" : "own");
    const rendered = services.phases.time(ctx, "render", () => renderPage(prepared.view, options));
    const requireSound = (): void => requireSameSession(ctx, sessionId);
    for (const error of rendered.errors) options.onError(error);
    if (!rendered.stream) requireSound();
    const whole = rendered.stream ? await wholeOf(rendered.stream, requireSound) : rendered.html;
    const { hashes, hasFailed: hasErrors } = options;
    if (whole === undefined)
      return {
        result: { ...html("", prepared.status, [...UNBUFFERED, ...PAGE_MARK]), body: rendered.stream ?? null },
        hashes: undefined,
        tagText: undefined,
        isSound: false,
      };
    return {
      result: html(whole, prepared.status, PAGE_MARK),
      hashes,
      tagText: options.asEachTime(whole),
      isSound: !hasErrors,
    };
  }
}

/** @returns the page if its first part is all of it; else undefined. */
async function wholeOf(stream: PageStream, requireSound: () => void): Promise<string | undefined> {
  const whole = await stream.begin();
  requireSound();
  return whole;
}

/** @param requireSound throws for a page that must not be sent; called once its first part is rendered. */
async function streamed(stream: PageStream, status: number, requireSound: () => void): Promise<Result> {
  const whole = await wholeOf(stream, requireSound);
  if (whole !== undefined) return html(whole, status, PRIVATE_HEADERS);
  return { ...html("", status, [...PRIVATE_HEADERS, ...UNBUFFERED]), body: stream };
}

const hashOf = remembered(inlineHash);

function unseenHeader(ctx: Context, name: string): string | undefined {
  return ctx instanceof RequestContext ? ctx.unseen(() => ctx.header(name)) : ctx.header(name);
}

/** The session id, without waiting for cookies that no code has read yet. */
function sessionOf(ctx: Context): string | undefined {
  return ctx instanceof RequestContext && ctx.jar ? ctx.unseen(() => ctx.sessionId) : undefined;
}

/** The token in the page belongs to the session in which it was rendered. @throws SvcError `SVC_TOO_LATE` */
function requireSameSession(ctx: Context, sessionId: string | undefined): void {
  const isChanged = ctx instanceof RequestContext && ctx.jar?.hasNewSession === true && ctx.sessionId !== sessionId;
  if (isChanged)
    throw new SvcError(
      "SVC_TOO_LATE",
      "The session began, ended or changed its id while the page was rendered. Change the session in load instead",
    );
}

/** Recipients of a page: one response, with a nonce; one visitor, with hashes and cacheable; all visitors, without a token. */
type Audience = "answer" | "own" | "shared";

/** Render options of one page. A class, so that the objects of all requests share a hidden class. */
class PageRequest implements PageRenderOptions {
  readonly manifest: Manifest;
  readonly title: string;
  readonly description: string | undefined;
  readonly lang: string;
  readonly dir: "ltr" | "rtl" | undefined;
  readonly prefetch: Prefetch;
  readonly navigation: Navigation;
  readonly head: (() => unknown) | undefined;
  readonly deadlineMs: number | undefined;
  readonly clock: Clock;
  readonly stylesheets: readonly string[];
  readonly icon: string | undefined;
  readonly policyMark: string;
  readonly names: ValueNames | undefined;
  /** A page fetched by script, after an edit or by enhanced navigation, is rendered as a whole. */
  readonly isWhole: boolean;
  /** Whether the page fetches its CSRF token when it needs one. */
  readonly isTokenless: boolean;
  /** Hashes of the inline scripts so far; undefined for a page with a nonce. */
  hashes: string[] | undefined;
  /** Whether any part of the page has failed. */
  hasFailed = false;
  #token: string | undefined;
  readonly #ctx: Context;
  readonly #services: Services;
  readonly #path: string;

  constructor(
    ctx: Context,
    prepared: PreparedPage,
    services: Services,
    manifest: Manifest,
    definition: PageDefinition,
    audience: Audience = "answer",
  ) {
    this.manifest = services.hasImportedStyles ? manifest : { ...manifest, styles: undefined };
    this.title = prepared.title;
    this.description = prepared.description;
    this.lang = prepared.lang;
    this.dir = prepared.dir;
    // Caches share the other pages between visitors; there prefetch.ts looks at the visitor's setting.
    const isSaving = audience !== "shared" && unseenHeader(ctx, "save-data")?.toLowerCase() === "on";
    this.prefetch = isSaving ? "none" : (prepared.prefetch ?? services.prefetch);
    this.navigation = prepared.navigation;
    this.head = prepared.head;
    this.deadlineMs = prepared.deadlineMs;
    this.clock = services.clock;
    this.stylesheets = services.stylesheets;
    this.icon = services.icon;
    const { dev } = services.site;
    this.names = dev && new ValueNames(dev.kept(unseenHeader(ctx, HEADERS.devValues) ?? ""));
    this.isTokenless = audience === "shared";
    const isFetched =
      (dev !== undefined && unseenHeader(ctx, "sec-fetch-dest") === "empty") ||
      unseenHeader(ctx, HEADERS.navigation) !== undefined;
    this.isWhole = this.isTokenless || isFetched;
    this.hashes = audience === "answer" ? undefined : [];
    this.#ctx = ctx;
    this.#services = services;
    this.#path = definition.path;
    this.policyMark = services.policyMarkOf(definition.security);
  }

  // Computed on first use: a page without scripts needs none of these.

  get nonce(): string | undefined {
    return this.hashes ? undefined : this.#ctx.nonce;
  }

  onInline = (code: string): void => {
    const hash = hashOf(code);
    if (!this.hashes?.includes(hash)) this.hashes?.push(hash);
  };

  /** The head is sent before deferred content, so its policy can't contain hashes of later scripts. */
  beginStream = (): void => {
    if (!this.isWhole) this.hashes = undefined;
  };

  /** The page without the parts that differ between responses to the same visitor; used for the entity tag. */
  asEachTime(html: string): string {
    if (this.#token === undefined) return html;
    const { cookies, sessionId } = this.#ctx;
    return `${html.replaceAll(this.#token, "")}${cookies[COOKIES.csrf]} ${sessionId}`;
  }

  get theme(): Theme | undefined {
    if (!this.#services.hasThemes) return undefined;
    // A shared page ignores cookies; the browser applies the visitor's theme.
    const chosen = this.isTokenless ? undefined : this.#ctx.cookie(COOKIES.theme);
    return themeOf(chosen) ?? "system";
  }

  get policy(): string {
    return this.#services.hasTrustedTypes ? POLICY_SCRIPT : "";
  }

  get stub(): string {
    return this.#services.site.stub() + this.policy;
  }

  get swap(): string {
    return this.#services.site.swap();
  }

  get signal(): AbortSignal {
    return this.#ctx.signal;
  }

  get host(): PageHost {
    return new PageHost(this.#services.app, this.#ctx);
  }

  around = <T>(call: () => T): T => withContext(this.#ctx, call);

  csrfToken = (): string => (this.#token ??= tokenFor(this.#ctx, this.#services));

  onError = (err: unknown): void => {
    this.hasFailed = true;
    const { requestId, trace } = this.#ctx;
    const fields = { reqId: requestId, traceId: trace.traceId, page: this.#path, err };
    this.#services.log.error(fields, "A page failed while it was rendered");
  };
}
