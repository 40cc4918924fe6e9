/** The table workload of js-framework-benchmark: rows created, changed, moved and removed in the browser. */
import { batch, For, signal } from "svckit";
import type { JSX } from "svckit/jsx-runtime";
import { newRows, withSignals, type Row } from "./table-data.ts";

export function TablePage(): JSX.Element {
  const rows = signal<Row[]>([]);
  const selected = signal(0);
  return (
    <main>
      <button id="run" onClick={() => (rows.value = withSignals(newRows(1000)))}>
        Create 1,000 rows
      </button>
      <button id="runlots" onClick={() => (rows.value = withSignals(newRows(10_000)))}>
        Create 10,000 rows
      </button>
      <button id="add" onClick={() => (rows.value = [...rows.value, ...withSignals(newRows(1000))])}>
        Append 1,000 rows
      </button>
      <button
        id="update"
        onClick={() =>
          batch(() => {
            const all = rows.value;
            for (let at = 0; at < all.length; at += 10) {
              const row = all[at];
              if (row) row.label.value += " !!!";
            }
          })
        }
      >
        Update every 10th row
      </button>
      <button id="clear" onClick={() => (rows.value = [])}>
        Clear
      </button>
      <button
        id="swaprows"
        onClick={() => {
          const next = [...rows.value];
          const [second, last] = [next[1], next[998]];
          if (second && last) [next[1], next[998]] = [last, second];
          rows.value = next;
        }}
      >
        Swap rows
      </button>
      <table>
        <tbody>
          <For each={rows.value} by={(row) => row.id}>
            {(row) => (
              <tr class={selected.value === row.id ? "danger" : ""}>
                <td class="col-md-1">{row.id}</td>
                <td class="col-md-4">
                  <a class="lbl" onClick={() => (selected.value = row.id)}>
                    {row.label.value}
                  </a>
                </td>
                <td class="col-md-1">
                  <a class="remove" onClick={() => (rows.value = rows.value.filter((other) => other.id !== row.id))}>
                    x
                  </a>
                </td>
                <td class="col-md-6" />
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </main>
  );
}
