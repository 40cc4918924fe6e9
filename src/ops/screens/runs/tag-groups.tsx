/** Groups the runs of a list by tag: counts by status, as links to the matching runs. */
import { RUNS_PATH } from "../../operator-access.ts";
import { queryText, type ListView } from "../../views/runs/runs-query.ts";
import type { TagGroups } from "../../views/runs/tag-groups.ts";
import { countText } from "../../views/format.ts";
import { Heads, type Column } from "../table-head.tsx";

interface TagGroupsPanelProps {
  groups: TagGroups;
  view: ListView;
}

export function TagGroupsPanel({ groups, view }: TagGroupsPanelProps) {
  const { rows, more } = groups;
  return (
    <section class="panel" aria-labelledby="by-tag">
      <div class="head">
        <h2 id="by-tag">By tag</h2>
        <p class="quiet">{scopeText(groups)}</p>
      </div>
      {rows.length === 0 ? null : <Table groups={groups} view={view} />}
      {more === 0 ? null : (
        <p class="quiet">{`and ${countText(more)} more tag${more === 1 ? "" : "s"}, with fewer runs; filter the list to see them`}</p>
      )}
    </section>
  );
}

/** `of 812 runs, of which 12 have no tag`. */
function scopeText({ looked, untagged, isAll }: TagGroups): string {
  const of = isAll
    ? `of ${countText(looked)} run${looked === 1 ? "" : "s"}`
    : `of the newest ${countText(looked)} only`;
  return untagged === 0 ? of : `${of}, of which ${countText(untagged)} ${untagged === 1 ? "has" : "have"} no tag`;
}

function Table({ groups: { rows, statuses }, view }: TagGroupsPanelProps) {
  const columns = ["Tag", ["Runs", "number"], ...statuses.map((status) => [headOf(status), "number"] as const)];
  return (
    <div class="scroll">
      <table>
        <Heads columns={columns as Column[]} />
        <tbody>
          {rows.map(({ tag, all, byStatus }) => (
            <tr key={tag}>
              <th scope="row" data-label="Tag">
                <a class="tag" href={hrefOf({ ...view, tag })} aria-current={view.tag === tag ? "true" : undefined}>
                  {tag}
                </a>
              </th>
              <td data-label="Runs" class="number">
                {countText(all)}
              </td>
              {statuses.map((status) => (
                <td data-label={headOf(status)} class="number" key={status}>
                  <Count
                    count={byStatus[status]}
                    of={`${status} with the tag ${tag}`}
                    href={hrefOf({ ...view, tag, status })}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Count({ count, of, href }: { count: number | undefined; of: string; href: string }) {
  if (count === undefined) return "–";
  return (
    <a href={href} aria-label={`${countText(count)} ${of}`}>
      {countText(count)}
    </a>
  );
}

function hrefOf(view: ListView): string {
  return `${RUNS_PATH}?${queryText(view)}`;
}

function headOf(status: string): string {
  return `${(status[0] ?? "").toUpperCase()}${status.slice(1)}`;
}
