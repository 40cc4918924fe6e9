import { createSignal } from "solid-js";

export function Counter() {
  const [count, setCount] = createSignal(0);
  return (
    <main>
      <h1>Counter</h1>
      <p>
        Count: <output>{count()}</output>
      </p>
      <button type="button" onClick={() => setCount(count() + 1)}>
        Add 1
      </button>
    </main>
  );
}
