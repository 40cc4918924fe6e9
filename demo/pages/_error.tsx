/** In place of a page that failed. */
import type { ErrorProps } from "svckit/fullstack";

export const head = { title: "That went wrong" };

export default function Failed({ message, requestId }: ErrorProps) {
  return (
    <section class="panel narrow">
      <h1>That went wrong</h1>
      <p class="notice notice-bad">{message}</p>
      <p class="quiet">
        The log knows it as <code>{requestId}</code>.
      </p>
      <p>
        <a href="/">Start an audit</a>
      </p>
    </section>
  );
}
