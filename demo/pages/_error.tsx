/** Replaces a page that failed. */
import type { ErrorProps } from "svckit/fullstack";

export const head = { title: "Something went wrong" };

export default function Failed({ message, requestId }: ErrorProps) {
  return (
    <section class="panel narrow">
      <h1>Something went wrong</h1>
      <p class="notice notice-bad">{message}</p>
      <p class="quiet">
        Request id in the log: <code>{requestId}</code>
      </p>
      <p>
        <a href="/">Start an audit</a>
      </p>
    </section>
  );
}
