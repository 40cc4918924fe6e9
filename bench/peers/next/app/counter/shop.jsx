"use client";
import { useState } from "react";
import { addUp } from "./actions";

export function Shop({ name, items }) {
  const [count, setCount] = useState(0);
  return (
    <main>
      <h1>Hello, {name}</h1>
      <nav>
        <a href="/">Home</a> <a href="/counter">Counter</a> <a href="/page">Page</a>
      </nav>
      <button type="button" onClick={() => setCount(count + 1)} onDoubleClick={() => addUp({ a: 1, b: 2, name })}>
        Clicked {count} times
      </button>
      <ul>
        {items.map((item) => (
          <li key={item.id} data-id={item.id}>
            {item.label}
          </li>
        ))}
      </ul>
    </main>
  );
}
