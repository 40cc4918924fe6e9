/** Types that apps add to sessions and locals. */
import { currentContext, route, text, type Context, type SessionStore } from "svckit";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(isSame: Equal<A, B>): void => void isSame;

declare module "svckit" {
  interface SessionData {
    user?: { id: number };
    theme?: "dark" | "light";
  }
  interface Locals {
    locale?: string;
  }
}

export async function sessions(): Promise<void> {
  const session = await currentContext().session();
  const user = session.get("user");
  same<typeof user, { id: number } | undefined>(true);
  session.set("theme", "dark");
  // @ts-expect-error not one of the allowed values
  session.set("theme", "green");
  // @ts-expect-error sessions have no such field
  session.get("nothing");
  // @ts-expect-error a session must be awaited
  currentContext().session().get("user");
}

export const locals = route("GET", "/", (ctx: Context) => {
  ctx.locals.locale = "de";
  // @ts-expect-error a locale is text
  ctx.locals.locale = 1;
  ctx.setCookie("a", "1", { signed: true, sameSite: "Strict" });
  // @ts-expect-error no such attribute
  ctx.setCookie("a", "1", { samesite: "Strict" });
  return text(ctx.signedCookie("a") ?? "");
});

export const store: SessionStore = { read: () => undefined, write: async () => undefined, remove: () => undefined };
