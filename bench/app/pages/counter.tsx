/** The counter of bench:pages. */
import { signal } from "svckit";
import type { JSX } from "svckit/jsx-runtime";

export function Counter(): JSX.Element {
  const count = signal(0);
  return (
    <main>
      <h1>Counter</h1>
      <p>
        Count: <output>{count.value}</output>
      </p>
      <button type="button" onClick={() => count.value++}>
        Add 1
      </button>
    </main>
  );
}
