/** The list, exactly according to TodoMVC's specification (https://github.com/tastejs/todomvc/blob/master/app-spec.md). */
import { computed, effect, For, onCleanup, onLoad, signal, store } from "svckit";
import { isEnter, isShown, loadTodos, routeOf, saveTodos, type Route, type Todo } from "./todos.ts";

export function TodoApp() {
  const state = store({ todos: [] as Todo[] });
  const route = signal<Route>("all");
  const editing = signal(0);
  const left = computed(() => state.todos.filter((todo) => !todo.completed).length);
  const shown = computed(() => state.todos.filter((todo) => isShown(todo, route.value)));
  const remove = (id: number) => {
    state.todos = state.todos.filter((todo) => todo.id !== id);
  };
  const rename = (todo: Todo, title: string) => {
    // Escape and Enter also blur the field, which must not rename again.
    if (editing.value !== todo.id) return;
    editing.value = 0;
    if (title.trim() === "") remove(todo.id);
    else todo.title = title.trim();
  };
  onLoad(() => {
    state.todos = loadTodos();
    const follow = () => (route.value = routeOf(location.hash));
    follow();
    addEventListener("hashchange", follow);
    onCleanup(() => removeEventListener("hashchange", follow));
    effect(() => saveTodos(state.todos.map(({ id, title, completed }) => ({ id, title, completed }))));
  });
  return (
    <section class="todoapp">
      <header class="header">
        <h1>todos</h1>
        <input
          class="new-todo"
          aria-label="What needs to be done?"
          placeholder="What needs to be done?"
          autofocus
          onKeyDown={(event, input) => {
            const title = input.value.trim();
            if (!isEnter(event) || title === "") return;
            const id = Math.max(0, ...state.todos.map((todo) => todo.id)) + 1;
            state.todos.push({ id, title, completed: false });
            input.value = "";
          }}
        />
      </header>
      <section class="main" hidden={state.todos.length === 0}>
        <input
          id="toggle-all"
          class="toggle-all"
          type="checkbox"
          checked={left.value === 0}
          onChange={(_event, box) => {
            const completed = box.checked;
            for (const todo of state.todos) todo.completed = completed;
          }}
        />
        <label for="toggle-all">Mark all as complete</label>
        <ul class="todo-list">
          <For each={shown.value} by={(todo) => todo.id}>
            {(todo) => (
              <li class={{ completed: todo.completed, editing: editing.value === todo.id }}>
                <div class="view">
                  <input
                    class="toggle"
                    type="checkbox"
                    aria-label={`Completed: ${todo.title}`}
                    checked={todo.completed}
                    onChange={() => (todo.completed = !todo.completed)}
                  />
                  <label
                    onDblClick={(_event, label) => {
                      editing.value = todo.id;
                      const field = label.closest("li")?.querySelector<HTMLInputElement>(".edit");
                      if (!field) return;
                      field.value = todo.title;
                      // The field is visible only after this handler has ended.
                      queueMicrotask(() => field.focus());
                    }}
                  >
                    {todo.title}
                  </label>
                  <button
                    type="button"
                    class="destroy"
                    aria-label={`Delete: ${todo.title}`}
                    onClick={() => remove(todo.id)}
                  />
                </div>
                <input
                  class="edit"
                  aria-label={`Title of: ${todo.title}`}
                  value={todo.title}
                  onBlur={(_event, input) => rename(todo, input.value)}
                  onKeyDown={(event, input) => {
                    if (isEnter(event)) rename(todo, input.value);
                    if (event.key === "Escape") editing.value = 0;
                  }}
                />
              </li>
            )}
          </For>
        </ul>
      </section>
      <footer class="footer" hidden={state.todos.length === 0}>
        <span class="todo-count" role="status">
          <strong>{left.value}</strong> {left.value === 1 ? "item" : "items"} left
        </span>
        <ul class="filters">
          <li>
            <a class={{ selected: route.value === "all" }} href="#/">
              All
            </a>
          </li>
          <li>
            <a class={{ selected: route.value === "active" }} href="#/active">
              Active
            </a>
          </li>
          <li>
            <a class={{ selected: route.value === "completed" }} href="#/completed">
              Completed
            </a>
          </li>
        </ul>
        <button
          type="button"
          class="clear-completed"
          hidden={left.value === state.todos.length}
          onClick={() => (state.todos = state.todos.filter((todo) => !todo.completed))}
        >
          Clear completed
        </button>
      </footer>
    </section>
  );
}
