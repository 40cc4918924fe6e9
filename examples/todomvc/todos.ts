/** What a list of todos is, and where the browser keeps it. */

export interface Todo {
  id: number;
  title: string;
  completed: boolean;
}

/** What the address shows: `#/`, `#/active`, `#/completed`. */
export type Route = "all" | "active" | "completed";

/** As the specification of TodoMVC names it. */
const KEY = "todos-svc";

/** @returns none where the browser keeps nothing, or what it keeps is no list of todos. */
export function loadTodos(): Todo[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isTodo) : [];
  } catch {
    // Storage that is forbidden, or text that another program left there.
    return [];
  }
}

export function saveTodos(todos: readonly Todo[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(todos));
  } catch {
    // Forbidden or full: the list lives as long as the page.
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
