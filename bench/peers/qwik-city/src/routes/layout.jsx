import { component$, Slot, useSignal } from "@builder.io/qwik";
import { Link } from "@builder.io/qwik-city";

export default component$(() => {
  const count = useSignal(0);
  return (
    <>
      <header>
        <nav>
          <Link href="/">Home</Link> <Link href="/list/">List</Link> <Link href="/about/">About</Link>
        </nav>
        <button id="menu" onClick$={() => count.value++}>
          Menu {count.value}
        </button>
      </header>
      <main>
        <Slot />
      </main>
    </>
  );
});
