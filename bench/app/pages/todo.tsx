/** The todo of bench:pages and bench:dom: a list whose items are added, toggled and removed. */
import { computed, For, store } from "svckit";
import type { JSX } from "svckit/jsx-runtime";

export type Todo = { id: number; text: string; done: boolean };

export function Todos(props: { todos: Todo[] }): JSX.Element {
  const state = store({ list: props.todos, lastId: props.todos.length });
  const left = computed(() => state.list.filter((todo) => !todo.done).length);
  return (
    <main>
      <h1>To-do</h1>
      <form
        onSubmit={(event, form) => {
          event.preventDefault();
          const field = form.elements.namedItem("text");
          if (!(field instanceof HTMLInputElement) || field.value === "") return;
          state.list.push({ id: ++state.lastId, text: field.value, done: false });
          field.value = "";
        }}
      >
        <input name="text" aria-label="What needs doing?" />
        <button type="submit">Add</button>
      </form>
      <p>
        <output>{left.value}</output> left
      </p>
      <ul>
        <For each={state.list} by={(todo) => todo.id}>
          {(todo) => (
            <li class={todo.done ? "done" : ""}>
              <input type="checkbox" aria-label="Done" checked={todo.done} onChange={() => (todo.done = !todo.done)} />
              <span>{todo.text}</span>
              <button type="button" onClick={() => (state.list = state.list.filter((other) => other.id !== todo.id))}>
                Remove
              </button>
            </li>
          )}
        </For>
      </ul>
    </main>
  );
}
