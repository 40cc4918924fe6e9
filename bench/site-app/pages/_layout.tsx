import { signal, Slot } from "svckit";

export default function Layout() {
  const count = signal(0);
  return (
    <>
      <header>
        <nav>
          <a href="/">Home</a> <a href="/list">List</a> <a href="/about">About</a>
        </nav>
        <button id="menu" onClick={() => count.value++}>
          Menu {count.value}
        </button>
      </header>
      <main>
        <Slot />
      </main>
    </>
  );
}
