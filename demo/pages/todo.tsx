/** `/todo`: a list to add to, toggle, filter and edit in place, with rows that the server rendered. */
import { computed, For, signal, store } from "svckit";
import type { JSX } from "svckit/jsx-runtime";

type Todo = { id: number; text: string; done: boolean };
type Filter = "all" | "active" | "done";

const SAMPLES: Todo[] = [
  { id: 1, text: "Read the lockfile", done: true },
  { id: 2, text: "Replace what is deprecated", done: false },
  { id: 3, text: "Ask about unknown licences", done: false },
];

function TodoList(props: { initial: Todo[] }): JSX.Element {
  const todos = store({ list: props.initial, lastId: props.initial.length });
  const filter = signal<Filter>("all");
  const editing = signal(0);
  const left = computed(() => todos.list.filter((todo) => !todo.done).length);
  const shown = computed(() =>
    todos.list.filter((todo) => filter.value === "all" || todo.done === (filter.value === "done")),
  );
  const remove = (id: number): void => {
    todos.list = todos.list.filter((todo) => todo.id !== id);
  };
  const rename = (todo: Todo, text: string): void => {
    if (editing.value !== todo.id) return;
    editing.value = 0;
    if (text.trim() === "") remove(todo.id);
    else todo.text = text.trim();
  };
  return (
    <section class="panel todo" aria-labelledby="todo-heading">
      <h1 id="todo-heading">To-do</h1>
      <form
        class="inline-form"
        onSubmit={(event, form) => {
          event.preventDefault();
          const input = form.elements.namedItem("text");
          if (!(input instanceof HTMLInputElement) || input.value.trim() === "") return;
          todos.lastId++;
          todos.list.push({ id: todos.lastId, text: input.value.trim(), done: false });
          input.value = "";
        }}
      >
        <label class="field">
          <span class="field-label">What needs doing?</span>
          <input type="text" name="text" autocomplete="off" maxlength={200} />
        </label>
        <button type="submit" class="button button-primary">
          Add
        </button>
      </form>
      <div class="toolbar">
        <p class="quiet" role="status">
          {left.value} left
        </p>
        <div class="segments" role="group" aria-label="Show">
          <button
            type="button"
            aria-pressed={filter.value === "all" ? "true" : "false"}
            onClick={() => (filter.value = "all")}
          >
            All
          </button>
          <button
            type="button"
            aria-pressed={filter.value === "active" ? "true" : "false"}
            onClick={() => (filter.value = "active")}
          >
            Active
          </button>
          <button
            type="button"
            aria-pressed={filter.value === "done" ? "true" : "false"}
            onClick={() => (filter.value = "done")}
          >
            Done
          </button>
        </div>
      </div>
      <ul class="todo-list">
        <For each={shown.value} by={(todo) => todo.id}>
          {(todo) => (
            <li class={{ done: todo.done }}>
              <input
                type="checkbox"
                aria-label={`Done: ${todo.text}`}
                checked={todo.done}
                onChange={() => (todo.done = !todo.done)}
              />
              {editing.value === todo.id ? (
                <input
                  type="text"
                  class="edit"
                  aria-label={`Text of: ${todo.text}`}
                  value={todo.text}
                  maxlength={200}
                  onBlur={(_event, input) => rename(todo, input.value)}
                  onKeyDown={(event, input) => {
                    if (event.key === "Enter") rename(todo, input.value);
                    if (event.key === "Escape") editing.value = 0;
                  }}
                />
              ) : (
                <button
                  type="button"
                  class="text"
                  title="Edit"
                  onClick={(_event, button) => {
                    const row = button.closest("li");
                    editing.value = todo.id;
                    queueMicrotask(() => row?.querySelector<HTMLInputElement>(".edit")?.select());
                  }}
                >
                  {todo.text}
                </button>
              )}
              <button type="button" class="remove" aria-label={`Remove: ${todo.text}`} onClick={() => remove(todo.id)}>
                ×
              </button>
            </li>
          )}
        </For>
      </ul>
      {shown.value.length === 0 ? <p class="empty">Nothing here.</p> : null}
    </section>
  );
}

export const head = { title: "To-do" };

export default function TodoPage(): JSX.Element {
  return (
    <>
      <TodoList initial={SAMPLES} />
      <noscript>
        <p class="notice">This list lives in the page, so it needs JavaScript.</p>
      </noscript>
    </>
  );
}
