/** The heads of a table's columns. */

/** Its name; of numbers, which stand at the right, and of steps, whose name nobody needs to see, with what it holds. */
export type Column = string | readonly [name: string, holds: "number" | "steps"];

export function Heads({ columns }: { columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const [name, holds] = typeof column === "string" ? [column] : column;
          return (
            <th
              key={name}
              scope="col"
              class={holds === "number" ? "number" : undefined}
              aria-label={holds === "steps" ? name : undefined}
            >
              {holds === "steps" ? "" : name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
