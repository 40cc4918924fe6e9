/** The todo type, its filters, and its storage in the browser. */

export interface Todo {
  id: number;
  title: string;
  completed: boolean;
}

/** The filter in the address: `#/`, `#/active`, `#/completed`. */
export type Route = "all" | "active" | "completed";

/** The name follows the specification of TodoMVC. */
const KEY = "todos-svc";

/** @returns an empty list if the browser has stored none, or if the stored value is invalid. */
export function loadTodos(): Todo[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isTodo) : [];
  } catch {
    // Storage is disabled, or contains invalid JSON.
    return [];
  }
}

export function saveTodos(todos: readonly Todo[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(todos));
  } catch {
    // Storage is disabled or full: the list is lost with the page.
  }
}

function isTodo(value: unknown): value is Todo {
  const { id, title, completed } = (value ?? {}) as Partial<Todo>;
  return typeof id === "number" && typeof title === "string" && typeof completed === "boolean";
}

export function routeOf(hash: string): Route {
  if (hash === "#/active") return "active";
  return hash === "#/completed" ? "completed" : "all";
}

export function isShown(todo: Todo, route: Route): boolean {
  return route === "all" || todo.completed === (route === "completed");
}

/**
 * Whether Enter was pressed to finish a title. In an input method, Enter accepts the composed word; WebKit ends the composition before
 * the key event and marks that with the key code 229.
 */
export function isEnter({ key, isComposing, keyCode }: KeyboardEvent): boolean {
  return key === "Enter" && !isComposing && keyCode !== 229;
}
