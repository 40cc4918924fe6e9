/** @jsxImportSource @builder.io/qwik */
import { Counter } from "./counter.jsx";
import { RowTable } from "./table.jsx";
import { Todos } from "./todo.jsx";

export const CounterPage = () => (
  <>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Counter</title>
    </head>
    <body>
      <Counter />
    </body>
  </>
);

export const TodoPage = ({ todos }) => (
  <>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>To-do</title>
    </head>
    <body>
      <Todos todos={todos} />
    </body>
  </>
);

export const TablePage = ({ rows }) => (
  <>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Table</title>
    </head>
    <body>
      <RowTable rows={rows} />
    </body>
  </>
);
