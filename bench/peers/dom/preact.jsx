/** @jsxImportSource preact */
/** The table workload in Preact with signals: a signal per label goes straight to its text, rows are memoised. */
import { computed, signal } from "@preact/signals";
import { render } from "preact";
import { memo } from "preact/compat";
import { newRows } from "./data.js";

const rows = signal([]);
const selected = signal(0);

function withSignals(all) {
  return all.map(({ id, label }) => ({
    id,
    label: signal(label),
    selected: computed(() => (selected.value === id ? "danger" : "")),
  }));
}

const Row = memo(({ row }) => (
  <tr class={row.selected}>
    <td class="col-md-1">{row.id}</td>
    <td class="col-md-4">
      <a class="lbl" onClick={() => (selected.value = row.id)}>
        {row.label}
      </a>
    </td>
    <td class="col-md-1">
      <a class="remove" onClick={() => (rows.value = rows.value.filter((other) => other.id !== row.id))}>
        x
      </a>
    </td>
    <td class="col-md-6" />
  </tr>
));

function update() {
  const all = rows.value;
  for (let at = 0; at < all.length; at += 10) all[at].label.value += " !!!";
}

function swap() {
  const next = [...rows.value];
  if (next.length > 998) [next[1], next[998]] = [next[998], next[1]];
  rows.value = next;
}

const Rows = () => rows.value.map((row) => <Row key={row.id} row={row} />);

render(
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
        <Rows />
      </tbody>
    </table>
  </main>,
  document.body,
);
