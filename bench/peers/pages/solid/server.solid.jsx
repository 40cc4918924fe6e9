/** bench:pages in Solid: rendered to text, hydrated. */
import { generateHydrationScript, renderToString } from "solid-js/web";
import { makeTodos } from "../todo-data.js";
import { Counter } from "./counter.solid.jsx";
import { Todos } from "./todo.solid.jsx";

export const counter = () => ({ head: generateHydrationScript(), body: renderToString(() => <Counter />) });

export function todo(count) {
  const todos = makeTodos(count);
  return { head: generateHydrationScript(), body: renderToString(() => <Todos todos={todos} />), data: todos };
}
