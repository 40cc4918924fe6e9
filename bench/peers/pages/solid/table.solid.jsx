import { batch, createSelector, createSignal, For } from "solid-js";
import { newRows } from "../table-data.js";

function withSignals(rows) {
  return rows.map(({ id, label }) => {
    const [text, setText] = createSignal(label);
    return { id, text, setText };
  });
}

function Row(props) {
  return (
    <tr class={props.isSelected ? "danger" : ""}>
      <td class="col-md-1">{props.row.id}</td>
      <td class="col-md-4">
        <a class="lbl" onClick={() => props.onSelect(props.row.id)}>
          {props.row.text()}
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

export function RowTable(props) {
  const [rows, setRows] = createSignal(withSignals(props.rows));
  const [selected, setSelected] = createSignal(0);
  const isSelected = createSelector(selected);
  const update = () =>
    batch(() => {
      const all = rows();
      for (let at = 0; at < all.length; at += 10) all[at].setText((text) => `${text} !!!`);
    });
  const swap = () => {
    const next = [...rows()];
    if (next.length > 998) [next[1], next[998]] = [next[998], next[1]];
    setRows(next);
  };
  return (
    <main>
      <p>
        Selected: <output>{selected()}</output>
      </p>
      <button id="run" onClick={() => setRows(withSignals(newRows(1000)))}>
        Create 1,000 rows
      </button>
      <button id="add" onClick={() => setRows((all) => [...all, ...withSignals(newRows(1000))])}>
        Append 1,000 rows
      </button>
      <button id="update" onClick={update}>
        Update every 10th row
      </button>
      <button id="clear" onClick={() => setRows([])}>
        Clear
      </button>
      <button id="swaprows" onClick={swap}>
        Swap rows
      </button>
      <table>
        <tbody>
          <For each={rows()}>
            {(row) => (
              <Row
                row={row}
                isSelected={isSelected(row.id)}
                onSelect={setSelected}
                onRemove={(id) => setRows((all) => all.filter((other) => other.id !== id))}
              />
            )}
          </For>
        </tbody>
      </table>
    </main>
  );
}
