/** `/counter`: the smallest component that resumes. */
import { signal } from "svckit";
import type { JSX } from "svckit/jsx-runtime";

function Counter(props: { start: number }): JSX.Element {
  const count = signal(props.start);
  return (
    <section class="panel counter" aria-labelledby="counter-heading">
      <h1 id="counter-heading">Counter</h1>
      <p class="figure" role="status">
        Count: {count.value}
      </p>
      <p class="quiet">Double: {count.value * 2}</p>
      <p class="actions">
        <button type="button" class="button" onClick={() => count.value--}>
          Subtract 1
        </button>
        <button type="button" class="button button-primary" onClick={() => count.value++}>
          Add 1
        </button>
      </p>
    </section>
  );
}

export const head = { title: "Counter" };

export default function CounterPage(): JSX.Element {
  return (
    <>
      <Counter start={0} />
      <p class="quiet narrow">
        Before the first click this page loads one script, the loader. The click fetches the core and this counter’s
        code, then runs. A click before any script has arrived also counts.
      </p>
    </>
  );
}
