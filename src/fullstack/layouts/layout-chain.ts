/**
 * A page with the layouts around it: loads all their data at once and renders from the outside in. The nearest `_error.tsx` replaces a
 * failed part, inside the layouts around that file; layouts with data stay.
 */
import { STATUS_CODES } from "node:http";
import { ErrorBoundary, SvcError, type Context } from "../../index.ts";
import { isRedirect, noteCaught } from "../../internal.ts";
import { component, html, outlet, t, type Child } from "../../jsx-runtime.ts";
import { SiteLocales, type SiteLanguages } from "../i18n/i18n.ts";
import { mergeHeads, type Head } from "./head.ts";
import { runLoad } from "./layout-data.ts";
import { keepQuiet } from "../outcome.ts";
import { pageScope, type PageScope } from "../page-scope.ts";
import type { ErrorModule, ErrorProps, PageModule } from "../modules.ts";

/** Layouts, outermost first, and the page last. */
export interface LayoutChain {
  readonly levels: readonly PageModule[];
  /** Marker of each layout's content, if links are followed within the document. */
  readonly outlets: readonly ((params: Context["params"]) => string)[];
  /** `_error.tsx` files, outermost first. */
  readonly errors: readonly Standby[];
  /** `_404.tsx` files, outermost first. */
  readonly notFound: readonly Standby[];
  readonly submits: PageScope["submits"];
  readonly routes: PageScope["routes"];
  readonly formMessages: (ctx: Context) => PageScope["formMessages"];
  /** Undefined in apps with one language. */
  readonly languagesOf: ((ctx: Context) => SiteLanguages) | undefined;
  readonly log: (ctx: Context, error: unknown) => void;
  /** The part of a server error that visitors may see. */
  readonly errorText: (error: unknown) => string;
}

/** Content that replaces a failed part. */
export interface Standby {
  /** Number of levels around it. */
  readonly depth: number;
  readonly module: ErrorModule;
}

/** A page with its data. */
export interface Loaded {
  readonly head: Head;
  /** Data of each level that loaded. */
  readonly data: readonly unknown[];
  /** Replaces the levels from `depth` on. */
  failure: (Standby & { readonly error: unknown }) | undefined;
}

type Outcome = { ok: true; data: unknown } | { ok: false; error: unknown };

/** @throws redirects, and an error without an `_error.tsx` around it */
export async function loadChain(chain: LayoutChain, ctx: Context): Promise<Loaded> {
  const outcomes = await Promise.all(chain.levels.map((level) => outcomeOf(level, ctx)));
  const redirect = outcomes.find((outcome) => !outcome.ok && isRedirect(outcome.error));
  if (redirect && !redirect.ok) throw redirect.error;
  // The outermost failure counts: nothing inside it can be shown.
  const failedAt = outcomes.findIndex((outcome) => !outcome.ok);
  const data = outcomes.map((outcome) => (outcome.ok ? outcome.data : undefined));
  const failed = outcomes[failedAt];
  const failure = failed && !failed.ok ? failureOf(chain, ctx, failed.error, failedAt) : undefined;
  return { head: headOf(chain, ctx, data, failure), data, failure };
}

function headOf(chain: LayoutChain, ctx: Context, data: readonly unknown[], failure: Loaded["failure"]): Head {
  const { params } = ctx;
  const heads = chain.levels
    .slice(0, failure?.depth)
    .map(({ head }, at) => (typeof head === "function" ? head({ data: data[at] as undefined, params, ctx }) : head));
  if (failure) heads.push({ title: titleOf(failure.error), ...failure.module.head });
  return mergeHeads(heads.filter((head) => head !== undefined));
}

async function outcomeOf({ load }: PageModule, ctx: Context): Promise<Outcome> {
  try {
    const data = await runLoad(load, ctx);
    keepQuiet(data);
    return { ok: true, data };
  } catch (error) {
    return { ok: false, error };
  }
}

/** @param at the level that failed. @throws the error if no `_error.tsx` is around that level, or the visitor has left. */
function failureOf(chain: LayoutChain, ctx: Context, error: unknown, at: number): NonNullable<Loaded["failure"]> {
  // The caller distinguishes a visitor that left from a fault.
  if (ctx.signal.aborted) throw error;
  const status = statusOf(error);
  // `_404.tsx` comes last, so it wins over an equally near `_error.tsx`.
  const standbys = status === 404 ? [...chain.errors, ...chain.notFound] : chain.errors;
  const nearest = standbys.toSorted((left, right) => left.depth - right.depth).findLast(({ depth }) => depth <= at);
  if (!nearest) throw error;
  if (status >= 500) {
    chain.log(ctx, error);
    noteCaught(ctx, error);
  }
  return { ...nearest, error };
}

/** The page inside its layouts. Rendering starts when the result is inserted. */
export function viewChain(chain: LayoutChain, loaded: Loaded, ctx: Context): unknown {
  const levels = html(() => t(viewLevel(chain, loaded, ctx, 0)));
  const data = chain.levels.slice(0, -1).map(({ load }, at) => [load, loaded.data[at]] as const);
  const { submits, routes } = chain;
  const scope = { ctx, submits, routes, formMessages: chain.formMessages(ctx), loaded: new Map(data) };
  const page = pageScope.Provider({ value: scope, children: levels });
  const languages = chain.languagesOf?.(ctx);
  return languages ? SiteLocales.Provider({ value: languages, children: page }) : page;
}

function viewLevel(chain: LayoutChain, loaded: Loaded, ctx: Context, depth: number): unknown {
  const { failure } = loaded;
  if (failure?.depth === depth) return viewFailure(chain, failure, ctx);
  const level = chain.levels[depth];
  if (!level) return "";
  const inner = html(() => t(viewLevel(chain, loaded, ctx, depth + 1)));
  const key = chain.outlets[depth]?.(ctx.params);
  const children = key === undefined ? inner : outlet(key, inner);
  const props = { data: loaded.data[depth] as undefined, params: ctx.params, ctx, children };
  const content = html(() => component(level.default, props));
  const own = chain.errors.find((error) => error.depth === depth);
  if (!own) return content;
  return ErrorBoundary({
    children: content,
    fallback: (error: unknown) => {
      loaded.failure = { ...own, error };
      if (statusOf(error) >= 500) noteCaught(ctx, error);
      return viewFailure(chain, { ...own, error }, ctx);
    },
  });
}

function viewFailure(chain: LayoutChain, { module, error }: NonNullable<Loaded["failure"]>, ctx: Context): Child {
  const { requestId } = ctx;
  const props: ErrorProps = { status: statusOf(error), message: chain.errorText(error), requestId, ctx };
  return html(() => component(module.default, props));
}

function titleOf(error: unknown): string {
  const status = statusOf(error);
  return STATUS_CODES[status] ?? `Error ${status}`;
}

export function statusOf(error: unknown): number {
  return error instanceof SvcError ? error.status : 500;
}
