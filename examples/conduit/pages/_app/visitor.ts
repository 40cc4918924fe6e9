/** Who is looking: the user whom the session names. */
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

/** For what only users may: everybody else is asked to sign in, and comes back. */
export async function requireUser(ctx: Context): Promise<User> {
  const user = await visitorOf(ctx);
  // A form is sent to an address that is no page: then back to the front.
  const back = ctx.method === "GET" ? `?to=${encodeURIComponent(ctx.path)}` : "";
  return user ?? redirect(`/login${back}`);
}
