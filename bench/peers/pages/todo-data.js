/** The same todos as bench/app/pages/todo-data.ts. */
const TASKS = ["Read the lockfile", "Replace what is deprecated", "Ask about licences", "Write to the maintainers"];

export function makeTodos(count) {
  return Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    text: `${TASKS[at % TASKS.length]}, part ${at + 1}`,
    done: at % 3 === 0,
  }));
}
