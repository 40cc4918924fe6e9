/** svc's app for the benches: the pages that bench/*.ts measure. */
import { createApp, page, type Middleware } from "svckit";
import { Counter } from "./pages/counter.tsx";
import { RowTable } from "./pages/row-table.tsx";
import { firstRows } from "./pages/table-data.ts";
import { TablePage } from "./pages/table.tsx";
import { makeTodos } from "./pages/todo-data.ts";
import { Todos } from "./pages/todo.tsx";

export { views } from "./pages/render.tsx";

/** Only cross-origin isolated pages get a timer of 5 µs instead of 100. */
const isolated: Middleware = async (_ctx, next) => {
  const result = await next();
  if (result instanceof Response) return result;
  return { ...result, headers: [...result.headers, "cross-origin-embedder-policy", "require-corp"] };
};

const counter = { title: "Counter", view: () => <Counter /> };
const todo = { title: "To-do", view: () => <Todos todos={makeTodos(20)} /> };
const long = { title: "To-do", view: () => <Todos todos={makeTodos(1000)} /> };
const rows = { title: "Table", view: () => <RowTable rows={firstRows(1000)} /> };

export default createApp({
  pages: [
    page("/table", { title: "Table", view: () => <TablePage /> }),
    page("/counter", counter),
    page("/todo", todo),
    page("/idle/counter", { ...counter, prefetch: "idle" }),
    page("/idle/todo", { ...todo, prefetch: "idle" }),
    page("/idle/todo-1000", { ...long, prefetch: "idle" }),
    page("/table-1000", rows),
    page("/idle/table-1000", { ...rows, prefetch: "idle" }),
    page("/todo-1000", { title: "To-do", view: () => <Todos todos={makeTodos(1000)} /> }),
  ],
  middleware: [isolated],
});
