/** @jsxImportSource @builder.io/qwik */
import { component$, useSignal } from "@builder.io/qwik";

export const Counter = component$(() => {
  const count = useSignal(0);
  return (
    <main>
      <h1>Counter</h1>
      <p>
        Count: <output>{count.value}</output>
      </p>
      <button type="button" onClick$={() => count.value++}>
        Add 1
      </button>
    </main>
  );
});
