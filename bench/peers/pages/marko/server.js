/** bench:pages in Marko 6, which writes whole documents and the tags of its scripts. */
import { firstRows } from "../table-data.js";
import { makeTodos } from "../todo-data.js";
import Counter from "./counter.marko";
import Table from "./table.marko";
import Todo from "./todo.marko";

export const counter = async () => ({ html: String(await Counter.render({})) });
export const todo = async (count) => ({ html: String(await Todo.render({ todos: makeTodos(count) })) });
export const table = async (count) => ({ html: String(await Table.render({ rows: firstRows(count) })) });
