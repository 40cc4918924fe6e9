/** The table workload in Solid, with what it has for it: a signal per label, createSelector, <For>. */
import { batch, createSelector, createSignal, For } from "solid-js";
import { render } from "solid-js/web";
import { newRows } from "./data.js";

function withSignals(rows) {
  return rows.map(({ id, label }) => {
    const [text, setText] = createSignal(label);
    return { id, text, setText };
  });
}

function Table() {
  const [rows, setRows] = createSignal([]);
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
      <button id="run" onClick={() => setRows(withSignals(newRows(1000)))}>
        Create 1,000 rows
      </button>
      <button id="runlots" onClick={() => setRows(withSignals(newRows(10_000)))}>
        Create 10,000 rows
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
              <tr class={isSelected(row.id) ? "danger" : ""}>
                <td class="col-md-1" textContent={row.id} />
                <td class="col-md-4">
                  <a class="lbl" onClick={[setSelected, row.id]} textContent={row.text()} />
                </td>
                <td class="col-md-1">
                  <a class="remove" onClick={() => setRows((all) => all.filter((other) => other.id !== row.id))}>
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

render(() => <Table />, document.body);
