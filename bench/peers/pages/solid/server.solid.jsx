/** bench:pages in Solid: rendered to text, hydrated. */
import { generateHydrationScript, renderToString } from "solid-js/web";
import { firstRows } from "../table-data.js";
import { makeTodos } from "../todo-data.js";
import { Counter } from "./counter.solid.jsx";
import { RowTable } from "./table.solid.jsx";
import { Todos } from "./todo.solid.jsx";

export const counter = () => ({ head: generateHydrationScript(), body: renderToString(() => <Counter />) });

export function todo(count) {
  const todos = makeTodos(count);
  return { head: generateHydrationScript(), body: renderToString(() => <Todos todos={todos} />), data: todos };
}

export function table(count) {
  const rows = firstRows(count);
  return { head: generateHydrationScript(), body: renderToString(() => <RowTable rows={rows} />), data: rows };
}
