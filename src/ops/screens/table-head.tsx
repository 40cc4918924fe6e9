/** Column headings of a table. */

/** A heading. Number columns are right-aligned; the heading of an actions column is only for screen readers. */
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
