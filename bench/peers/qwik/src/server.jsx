/** @jsxImportSource @builder.io/qwik */
/** bench:pages in Qwik, with what it does by itself about fetching ahead. */
import { renderToString } from "@builder.io/qwik/server";
import { firstRows } from "../../pages/table-data.js";
import { makeTodos } from "../../pages/todo-data.js";
import { CounterPage, TablePage, TodoPage } from "./root.jsx";

const options = (manifest) => ({ manifest, containerAttributes: { lang: "en" } });

export const counter = (_count, manifest) => renderToString(<CounterPage />, options(manifest));
export const todo = (count, manifest) => renderToString(<TodoPage todos={makeTodos(count)} />, options(manifest));
export const table = (count, manifest) => renderToString(<TablePage rows={firstRows(count)} />, options(manifest));
