import { Slot } from "svckit";
import { Flash, Form, href, type LayoutProps, type LoadContext } from "svckit/fullstack";
import { visitorOf } from "./_app/visitor.ts";
import { logout } from "./_submits.ts";

export const load = async (ctx: LoadContext) => ({ username: (await visitorOf(ctx))?.username });

export const head = { titleTemplate: "%s · Conduit" };

export default function Layout({ data, ctx }: LayoutProps<typeof load>) {
  const { username } = data;
  const current = (path: string) => (ctx.path === path ? "page" : undefined);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href="/">
          conduit
        </a>
        <nav aria-label="Main">
          <a href="/" aria-current={current("/")}>
            Home
          </a>
          {username === undefined ? (
            <>
              <a href="/login" aria-current={current("/login")}>
                Sign in
              </a>
              <a href="/register" aria-current={current("/register")}>
                Sign up
              </a>
            </>
          ) : (
            <>
              <a href="/editor" aria-current={current("/editor")}>
                New article
              </a>
              <a href="/settings" aria-current={current("/settings")}>
                Settings
              </a>
              <a href={href("/profile/[username]", { username })}>{username}</a>
              <Form submit={logout} class="inline">
                <button class="link">Sign out</button>
              </Form>
            </>
          )}
        </nav>
      </header>
      <Flash class="flash" />
      <main id="content">
        <Slot />
      </main>
      <footer class="bottom">
        Conduit, an example of svc. Code and design are MIT; the idea is{" "}
        <a href="https://realworld-docs.netlify.app">RealWorld</a>.
      </footer>
    </>
  );
}
