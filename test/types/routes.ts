/** Types of path parameters, derived from the path. */
import { group, page, route, text, withHeaders, type Context, type Middleware, type PathParams } from "svckit";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(isSame: Equal<A, B>): void => void isSame;

same<PathParams<"/">, Readonly<Record<never, string>>>(true);
same<PathParams<"/a/:id">, { readonly id: string }>(true);
same<PathParams<"/a/:id/b/**:file">, { readonly id: string; readonly file: string }>(true);
same<PathParams<string>, Readonly<Record<string, string>>>(true);

declare const somePath: string;
declare const showAny: (ctx: Context) => string;
const logged: Middleware = async (ctx, next) => withHeaders(await next(), { "x-path": ctx.path });

export const routes = [
  route("GET", "/todos/:id", ({ params }) => {
    same<typeof params, { readonly id: string }>(true);
    return text(params.id);
  }),
  // @ts-expect-error the path has no such parameter
  route("GET", "/todos/:id", ({ params }) => text(params.name)),
  // @ts-expect-error the path has no parameters
  route("GET", "/todos", ({ params }) => text(params.id)),
  // A path known only at run time may have any parameter.
  route(["GET", "POST"], somePath, (ctx) => text(ctx.params["id"] ?? "")),
  // A function of a general context accepts this specific one.
  route("GET", "/teams/:team/:id", (ctx) => text(showAny(ctx)), { middleware: [logged] }),
  // @ts-expect-error no such method
  route("get", "/", () => text("")),
  // @ts-expect-error a handler must return an answer
  route("GET", "/nothing", () => undefined),
  group("/admin", { middleware: [logged] }, [
    page("/audits/:id", {
      // `load` comes first, because its result type determines the parameters of the others.
      load: async ({ params }) => {
        same<typeof params, { readonly id: string }>(true);
        return { id: params.id };
      },
      title: (audit, { params }) => `${audit.id} ${params.id}`,
      view: (audit, ctx) => {
        same<typeof audit, { id: string }>(true);
        same<typeof ctx.params, { readonly id: string }>(true);
        return null;
      },
    }),
    group({ middleware: [logged] }, [page("/", { title: "Admin", view: () => null })]),
  ]),
  // @ts-expect-error a group contains route definitions
  group("/x", {}, [() => text("")]),
];
