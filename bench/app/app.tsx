/** svc's side of the benches: the pages that bench/*.ts measure, in plain TSX. */
import { createApp, page, type Middleware } from "svc";
export { views } from "./pages/render.tsx";
import { TablePage } from "./pages/table.tsx";

/** Only pages that are isolated from others get a timer of 5 µs instead of 100. */
const isolated: Middleware = async (_ctx, next) => {
  const result = await next();
  if (result instanceof Response) return result;
  return { ...result, headers: [...result.headers, "cross-origin-embedder-policy", "require-corp"] };
};

export default createApp({
  pages: [page("/table", { title: "Table", view: () => <TablePage /> })],
  middleware: [isolated],
});
