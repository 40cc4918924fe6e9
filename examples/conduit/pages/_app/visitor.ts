/** The signed-in user of the session. */
import { redirect, type Context } from "svckit";
import { userNamed, type User } from "./store.ts";

declare module "svckit" {
  interface SessionData {
    user?: string;
  }
}

export async function visitorOf(ctx: Context): Promise<User | undefined> {
  return userNamed((await ctx.session()).get("user"));
}

/** Requires a signed-in user; redirects others to the sign-in page, which leads back. */
export async function requireUser(ctx: Context): Promise<User> {
  const user = await visitorOf(ctx);
  // The address of a form submission is not a page, so a POST leads to the front page.
  const back = ctx.method === "GET" ? `?to=${encodeURIComponent(ctx.path)}` : "";
  return user ?? redirect(`/login${back}`);
}
