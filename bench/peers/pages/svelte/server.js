/** bench:pages in Svelte: rendered to text, hydrated. */
import { render } from "svelte/server";
import { firstRows } from "../table-data.js";
import { makeTodos } from "../todo-data.js";
import Counter from "./Counter.svelte";
import RowTable from "./RowTable.svelte";
import Todos from "./Todos.svelte";

const partsOf = ({ head, body }) => ({ head, body });

export const counter = () => partsOf(render(Counter, { props: {} }));

export function todo(count) {
  const todos = makeTodos(count);
  return { ...partsOf(render(Todos, { props: { todos } })), data: todos };
}

export function table(count) {
  const rows = firstRows(count);
  return { ...partsOf(render(RowTable, { props: { rows } })), data: rows };
}
