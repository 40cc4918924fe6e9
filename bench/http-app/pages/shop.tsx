/** A page like many: a name from the address, links, a counter, a list. */
import { signal } from "svckit";
import type { JSX } from "svckit/jsx-runtime";

type Item = { id: number; label: string };

export function Shop({ name, items }: { name: string; items: Item[] }): JSX.Element {
  const count = signal(0);
  return (
    <main>
      <h1>Hello, {name}</h1>
      <nav>
        <a href="/">Home</a> <a href="/counter">Counter</a> <a href="/page">Page</a>
      </nav>
      <button type="button" onClick={() => count.value++}>
        Clicked {count.value} times
      </button>
      <ul>
        {items.map((item) => (
          <li data-id={item.id}>{item.label}</li>
        ))}
      </ul>
    </main>
  );
}
