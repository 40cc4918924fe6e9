/** Shown for unknown addresses. */
import type { ErrorProps } from "svckit/fullstack";

export const head = { title: "Not found" };

export default function Missing({ ctx }: ErrorProps) {
  return (
    <section class="panel narrow">
      <h1>Not found</h1>
      <p>
        There is no page at <code>{ctx.path}</code>.
      </p>
      <p>
        <a href="/">Start an audit</a>
      </p>
    </section>
  );
}
