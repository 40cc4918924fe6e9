/** Table of all packages, sorted and filtered in the browser. Without script it shows all rows, heaviest first. */
import { computed, For, signal } from "svckit";
import type { JSX } from "svckit/jsx-runtime";
import { arrangeRows, type Level, type SortKey } from "../../audit/table.ts";
import type { ReportRow } from "../../audit/types.ts";

export function ReportTable(props: { rows: ReportRow[] }): JSX.Element {
  const sortBy = signal<SortKey>("weight");
  const isDescending = signal(true);
  const search = signal("");
  const level = signal<Level>("all");
  const shown = computed(() =>
    arrangeRows(props.rows, {
      sortBy: sortBy.value,
      isDescending: isDescending.value,
      search: search.value,
      level: level.value,
    }),
  );
  const direction = computed(() => (isDescending.value ? "descending" : "ascending"));
  const sort = (key: SortKey): void => {
    // A new column starts in ascending order, but weights start with the heaviest.
    isDescending.value = sortBy.value === key ? !isDescending.value : key === "weight";
    sortBy.value = key;
  };
  return (
    <section aria-labelledby="packages-heading">
      <h2 id="packages-heading">Packages</h2>
      <div class="toolbar needs-script">
        <label class="field field-inline">
          <span class="field-label">Search</span>
          <input type="search" onInput={(_event, input) => (search.value = input.value)} />
        </label>
        <label class="field field-inline">
          <span class="field-label">Show</span>
          <select onChange={(_event, select) => (level.value = select.value as Level)}>
            <option value="all">all packages</option>
            <option value="flagged">with findings</option>
            <option value="high">high</option>
            <option value="medium">medium</option>
            <option value="low">low</option>
          </select>
        </label>
        <p class="quiet" role="status">
          {shown.value.length} of {props.rows.length}
        </p>
      </div>
      <div class="table-scroll">
        <table class="packages">
          <caption class="visually-hidden">Packages; the buttons in the header sort the table</caption>
          <thead>
            <tr>
              <th scope="col" aria-sort={sortBy.value === "name" ? direction.value : undefined}>
                <button type="button" onClick={() => sort("name")}>
                  Package
                </button>
              </th>
              <th scope="col">Version</th>
              <th scope="col" aria-sort={sortBy.value === "license" ? direction.value : undefined}>
                <button type="button" onClick={() => sort("license")}>
                  Licence
                </button>
              </th>
              <th scope="col" class="number" aria-sort={sortBy.value === "weight" ? direction.value : undefined}>
                <button type="button" onClick={() => sort("weight")}>
                  Weight
                </button>
              </th>
              <th scope="col">Findings</th>
            </tr>
          </thead>
          <tbody>
            <For each={shown.value} by={(row) => row.path}>
              {(row) => (
                <tr>
                  <th scope="row">{row.name}</th>
                  <td class="version">{row.version}</td>
                  <td>{row.license}</td>
                  <td class="number">
                    <span class={["severity", `severity-${row.severity}`]}>{row.weight}</span>
                  </td>
                  <td class="notes">{row.notes.join("; ")}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
      {shown.value.length === 0 ? <p class="empty">No package matches.</p> : null}
    </section>
  );
}
