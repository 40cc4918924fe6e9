/** The layout of every page: skip link, header with the navigation, main, footer. No script. */
import { Slot } from "svckit";
import type { LayoutProps } from "svckit/fullstack";

const LINKS = [
  { href: "/", label: "Audit" },
  { href: "/counter", label: "Counter" },
  { href: "/todo", label: "To-do" },
  { href: "/static", label: "Static" },
  { href: "/_svc/demo", label: "Webhooks" },
];

export default function Shell({ ctx }: LayoutProps) {
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="site-header">
        <a class="brand" href="/">
          Lockfile audit
        </a>
        <nav aria-label="Pages">
          <ul>
            {LINKS.map((link) => (
              <li>
                <a href={link.href} aria-current={link.href === ctx.path ? "page" : undefined}>
                  {link.label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="main">
        <Slot />
      </main>
      <footer class="site-footer">
        <p>
          A demo of svc: pages that resume, durable graphs, signed webhooks. State: <a href="/health">health</a>,{" "}
          <a href="/ready">readiness</a>.
        </p>
      </footer>
    </>
  );
}
