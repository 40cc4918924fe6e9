/** The table of bench:pages: the workload of table.tsx over rows that are components and come with the page. */
import { For, signal } from "svckit";
import type { JSX } from "svckit/jsx-runtime";
import { newRows } from "./table-data.ts";

interface RowData {
  id: number;
  label: string;
}

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
          {props.row.label}
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

export function RowTable(props: { rows: RowData[] }): JSX.Element {
  const rows = signal(props.rows);
  const selected = signal(0);
  const update = () => {
    rows.value = rows.value.map((row, at) => (at % 10 === 0 ? { ...row, label: `${row.label} !!!` } : row));
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
      <button id="run" onClick={() => (rows.value = newRows(1000))}>
        Create 1,000 rows
      </button>
      <button id="add" onClick={() => (rows.value = [...rows.value, ...newRows(1000)])}>
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
