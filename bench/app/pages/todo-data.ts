/** Todos of the benches, the same for everybody. */
import type { Todo } from "./todo.tsx";

const TASKS = ["Read the lockfile", "Replace what is deprecated", "Ask about licences", "Write to the maintainers"];

export function makeTodos(count: number): Todo[] {
  return Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    text: `${TASKS[at % TASKS.length]}, part ${at + 1}`,
    done: at % 3 === 0,
  }));
}
