/**
 * The Markdown twin of a page, for assistants and people who read text: the `markdown` export of its module, at the page's path with
 * `.md` appended. The page links to it in a `Link` header, and the twin links back.
 */
import { text, withHeaders, type Context, type Middleware, type Result } from "../index.ts";
import type { PageModule, PageProps } from "./modules.ts";

const SUFFIX = ".md";

/** Path of a page's twin: `/about.md`, `/index.md` for the front page. */
export function twinPath(path: string): string {
  return `${path === "/" ? "/index" : path}${SUFFIX}`;
}

/** Whether the page's route also matches the path of its twin. Then one route answers both. */
export function holdsTwin(pattern: string): boolean {
  return /(?:^|\/)(?:\*\*)?:\w+$/.test(pattern);
}

/** Middleware of a page with a twin: links to the twin, and answers for it if the page's own path matches. */
export function withTwin(module: PageModule, pattern: string): Middleware {
  return async (ctx, next) => {
    const last = holdsTwin(pattern) ? lastParameter(pattern) : undefined;
    const value = last === undefined ? undefined : ctx.params[last];
    if (last !== undefined && value?.endsWith(SUFFIX)) {
      const params = { ...ctx.params, [last]: value.slice(0, -SUFFIX.length) };
      return respondTwin(module, ctx, params);
    }
    const answer = await next();
    if (answer.status !== 200) return answer;
    return withHeaders(answer, { link: `<${encodeURI(twinPath(ctx.path))}>; rel="alternate"; type="text/markdown"` });
  };
}

/** @throws what `load` throws. */
export async function respondTwin(module: PageModule, ctx: Context, params: Context["params"]): Promise<Result> {
  const asPage = withParams(ctx, params);
  const data = (await module.load?.(asPage)) as undefined;
  const { markdown = "" } = module;
  const props: PageProps = { data, params, ctx: asPage };
  const body = typeof markdown === "function" ? await markdown(props) : markdown;
  const page = ctx.path.slice(0, -SUFFIX.length).replace(/^\/index$/, "/");
  const headers = ["cache-control", "private, no-cache", "link", `<${encodeURI(page)}>; rel="canonical"`];
  return { ...text(body, 200, headers), headers: ["content-type", "text/markdown; charset=utf-8", ...headers] };
}

/** The request with the parameters of the page. All other members belong to the request, which has private state. */
function withParams(ctx: Context, params: Context["params"]): Context {
  return new Proxy(ctx, {
    get(target, name) {
      if (name === "params") return params;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

function lastParameter(pattern: string): string {
  return pattern.slice(pattern.lastIndexOf(":") + 1);
}
