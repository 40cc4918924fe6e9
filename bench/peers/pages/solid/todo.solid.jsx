import { createMemo, For } from "solid-js";
import { createStore, produce } from "solid-js/store";

export function Todos(props) {
  const [state, setState] = createStore({ list: props.todos, lastId: props.todos.length });
  const left = createMemo(() => state.list.filter((todo) => !todo.done).length);
  const add = (event) => {
    event.preventDefault();
    const field = event.currentTarget.elements.namedItem("text");
    if (field.value === "") return;
    setState(
      produce((all) => {
        all.list.push({ id: ++all.lastId, text: field.value, done: false });
      }),
    );
    field.value = "";
  };
  return (
    <main>
      <h1>To-do</h1>
      <form onSubmit={add}>
        <input name="text" aria-label="What needs doing?" />
        <button type="submit">Add</button>
      </form>
      <p>
        <output>{left()}</output> left
      </p>
      <ul>
        <For each={state.list}>
          {(todo, index) => (
            <li class={todo.done ? "done" : ""}>
              <input
                type="checkbox"
                aria-label="Done"
                checked={todo.done}
                onChange={() => setState("list", index(), "done", (done) => !done)}
              />
              <span>{todo.text}</span>
              <button type="button" onClick={() => setState("list", (all) => all.filter(({ id }) => id !== todo.id))}>
                Remove
              </button>
            </li>
          )}
        </For>
      </ul>
    </main>
  );
}
