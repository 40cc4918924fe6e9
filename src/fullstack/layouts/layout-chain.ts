/**
 * One page with the layouts around it: loads all their data at once, and renders from the outside in. What fails is shown by
 * the nearest `_error.tsx`, inside the layouts that stand around that file; those whose data is there go on standing.
 */
import { STATUS_CODES } from "node:http";
import { ErrorBoundary, SvcError, type Context } from "../../index.ts";
import { isRedirect } from "../../internal.ts";
import { component, html, outlet, t, type Child } from "../../jsx-runtime.ts";
import { SiteLocales, type SiteLanguages } from "../i18n/i18n.ts";
import { mergeHeads, type Head } from "./head.ts";
import { keepQuiet } from "../outcome.ts";
import { pageScope, type PageScope } from "../page-scope.ts";
import type { ErrorModule, ErrorProps, PageModule } from "../modules.ts";

/** Layouts outermost first, the page last. */
export interface LayoutChain {
  readonly levels: readonly PageModule[];
  /** For each layout what its content is marked with, where links are followed within the document. */
  readonly outlets: readonly ((params: Context["params"]) => string)[];
  /** `_error.tsx`, outermost first. */
  readonly errors: readonly Standby[];
  /** `_404.tsx`, outermost first. */
  readonly notFound: readonly Standby[];
  readonly submits: PageScope["submits"];
  /** Undefined in apps of one language. */
  readonly languagesOf: ((ctx: Context) => SiteLanguages) | undefined;
  readonly log: (ctx: Context, error: unknown) => void;
  /** What visitors may know of a fault of ours. */
  readonly tell: (error: unknown) => string;
}

/** What is shown in place of what failed. */
export interface Standby {
  /** How many levels stand around it. */
  readonly depth: number;
  readonly module: ErrorModule;
}

/** A page with its data. */
export interface Loaded {
  readonly head: Head;
  /** Of each level that is there. */
  readonly data: readonly unknown[];
  /** What is shown in place of the levels from `depth` on. */
  failure: (Standby & { readonly error: unknown }) | undefined;
}

type Outcome = { ok: true; data: unknown } | { ok: false; error: unknown };

/** @throws what a level threw that no `_error.tsx` stands around, and redirects. */
export async function loadChain(chain: LayoutChain, ctx: Context): Promise<Loaded> {
  const outcomes = await Promise.all(chain.levels.map((level) => outcomeOf(level, ctx)));
  const redirect = outcomes.find((outcome) => !outcome.ok && isRedirect(outcome.error));
  if (redirect && !redirect.ok) throw redirect.error;
  // The outermost that failed: what is inside of it can't be shown, whatever became of it.
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
    const data = await load?.(ctx);
    keepQuiet(data);
    return { ok: true, data };
  } catch (error) {
    return { ok: false, error };
  }
}

/** @param at level that failed. @throws the error, where no `_error.tsx` stands around that level, or nobody is left to see it. */
function failureOf(chain: LayoutChain, ctx: Context, error: unknown, at: number): NonNullable<Loaded["failure"]> {
  // Whoever is around tells leaving from faults.
  if (ctx.signal.aborted) throw error;
  const status = statusOf(error);
  // Of two that are equally near, the one that is about nothing else.
  const standbys = status === 404 ? [...chain.errors, ...chain.notFound] : chain.errors;
  const nearest = standbys.toSorted((left, right) => left.depth - right.depth).findLast(({ depth }) => depth <= at);
  if (!nearest) throw error;
  if (status >= 500) chain.log(ctx, error);
  return { ...nearest, error };
}

/** The page inside its layouts, as HTML that is made where it stands. */
export function viewChain(chain: LayoutChain, loaded: Loaded, ctx: Context): unknown {
  const levels = html(() => t(viewLevel(chain, loaded, ctx, 0)));
  const page = pageScope.Provider({ value: { ctx, submits: chain.submits }, children: levels });
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
      return viewFailure(chain, { ...own, error }, ctx);
    },
  });
}

function viewFailure(chain: LayoutChain, { module, error }: NonNullable<Loaded["failure"]>, ctx: Context): Child {
  const { requestId } = ctx;
  const props: ErrorProps = { status: statusOf(error), message: chain.tell(error), requestId, ctx };
  return html(() => component(module.default, props));
}

function titleOf(error: unknown): string {
  const status = statusOf(error);
  return STATUS_CODES[status] ?? `Error ${status}`;
}

export function statusOf(error: unknown): number {
  return error instanceof SvcError ? error.status : 500;
}
