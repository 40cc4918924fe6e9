/** The table of bench:pages: the workload of table.tsx over rows that are components and come with the page. */
import { batch, For, signal } from "svckit";
import type { JSX } from "svckit/jsx-runtime";
import { newRows, withSignals, type Row as RowData, type RowContent } from "./table-data.ts";

interface RowProps {
  row: RowData;
  isSelected: boolean;
  onSelect: (id: number) => void;
  onRemove: (id: number) => void;
}

function Row(props: RowProps): JSX.Element {
  return (
    <tr class={props.isSelected ? "danger" : ""}>
      <td class="col-md-1">{props.row.id}</td>
      <td class="col-md-4">
        <a class="lbl" onClick={() => props.onSelect(props.row.id)}>
          {props.row.label.value}
        </a>
      </td>
      <td class="col-md-1">
        <a class="remove" onClick={() => props.onRemove(props.row.id)}>
          x
        </a>
      </td>
      <td class="col-md-6" />
    </tr>
  );
}

export function RowTable(props: { rows: RowContent[] }): JSX.Element {
  const rows = signal(withSignals(props.rows));
  const selected = signal(0);
  const update = () => {
    batch(() => {
      const all = rows.value;
      for (let at = 0; at < all.length; at += 10) {
        const row = all[at];
        if (row) row.label.value += " !!!";
      }
    });
  };
  const swap = () => {
    const next = [...rows.value];
    const [second, last] = [next[1], next[998]];
    if (second && last) [next[1], next[998]] = [last, second];
    rows.value = next;
  };
  return (
    <main>
      <p>
        Selected: <output>{selected.value}</output>
      </p>
      <button id="run" onClick={() => (rows.value = withSignals(newRows(1000)))}>
        Create 1,000 rows
      </button>
      <button id="add" onClick={() => (rows.value = [...rows.value, ...withSignals(newRows(1000))])}>
        Append 1,000 rows
      </button>
      <button id="update" onClick={update}>
        Update every 10th row
      </button>
      <button id="clear" onClick={() => (rows.value = [])}>
        Clear
      </button>
      <button id="swaprows" onClick={swap}>
        Swap rows
      </button>
      <table>
        <tbody>
          <For each={rows.value} by={(row) => row.id}>
            {(row) => (
              <Row
                row={row}
                isSelected={selected.value === row.id}
                onSelect={(id) => (selected.value = id)}
                onRemove={(id) => (rows.value = rows.value.filter((other) => other.id !== id))}
              />
            )}
          </For>
        </tbody>
      </table>
    </main>
  );
}
