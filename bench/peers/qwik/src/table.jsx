/** @jsxImportSource @builder.io/qwik */
import { $, component$, useSignal } from "@builder.io/qwik";
import { newRows } from "../../pages/table-data.js";

const Row = component$(({ row, isSelected, onSelect$, onRemove$ }) => (
  <tr class={isSelected ? "danger" : ""}>
    <td class="col-md-1">{row.id}</td>
    <td class="col-md-4">
      <a class="lbl" onClick$={() => onSelect$(row.id)}>
        {row.label}
      </a>
    </td>
    <td class="col-md-1">
      <a class="remove" onClick$={() => onRemove$(row.id)}>
        x
      </a>
    </td>
    <td class="col-md-6" />
  </tr>
));

export const RowTable = component$(({ rows: first }) => {
  const rows = useSignal(first);
  const selected = useSignal(0);
  const select = $((id) => {
    selected.value = id;
  });
  const remove = $((id) => {
    rows.value = rows.value.filter((other) => other.id !== id);
  });
  const update = $(() => {
    rows.value = rows.value.map((row, at) => (at % 10 === 0 ? { ...row, label: `${row.label} !!!` } : row));
  });
  const swap = $(() => {
    const next = [...rows.value];
    if (next.length > 998) [next[1], next[998]] = [next[998], next[1]];
    rows.value = next;
  });
  return (
    <main>
      <p>
        Selected: <output>{selected.value}</output>
      </p>
      <button id="run" onClick$={() => (rows.value = newRows(1000))}>
        Create 1,000 rows
      </button>
      <button id="add" onClick$={() => (rows.value = [...rows.value, ...newRows(1000)])}>
        Append 1,000 rows
      </button>
      <button id="update" onClick$={update}>
        Update every 10th row
      </button>
      <button id="clear" onClick$={() => (rows.value = [])}>
        Clear
      </button>
      <button id="swaprows" onClick$={swap}>
        Swap rows
      </button>
      <table>
        <tbody>
          {rows.value.map((row) => (
            <Row key={row.id} row={row} isSelected={selected.value === row.id} onSelect$={select} onRemove$={remove} />
          ))}
        </tbody>
      </table>
    </main>
  );
});
