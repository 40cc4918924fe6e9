"use client";
import { useState } from "react";

export function Menu() {
  const [count, setCount] = useState(0);
  return (
    <button id="menu" onClick={() => setCount(count + 1)}>
      Menu {count}
    </button>
  );
}
