/** @jsxImportSource @builder.io/qwik */
import { $, component$, useComputed$, useStore } from "@builder.io/qwik";

export const Todos = component$(({ todos }) => {
  const state = useStore({ list: todos, lastId: todos.length });
  const left = useComputed$(() => state.list.filter((todo) => !todo.done).length);
  const add = $((_event, form) => {
    const field = form.elements.namedItem("text");
    if (field.value === "") return;
    state.list.push({ id: ++state.lastId, text: field.value, done: false });
    field.value = "";
  });
  return (
    <main>
      <h1>To-do</h1>
      <form preventdefault:submit onSubmit$={add}>
        <input name="text" aria-label="What needs doing?" />
        <button type="submit">Add</button>
      </form>
      <p>
        <output>{left.value}</output> left
      </p>
      <ul>
        {state.list.map((todo) => (
          <li key={todo.id} class={todo.done ? "done" : ""}>
            <input type="checkbox" aria-label="Done" checked={todo.done} onChange$={() => (todo.done = !todo.done)} />
            <span>{todo.text}</span>
            <button type="button" onClick$={() => (state.list = state.list.filter((other) => other.id !== todo.id))}>
              Remove
            </button>
          </li>
        ))}
      </ul>
    </main>
  );
});
