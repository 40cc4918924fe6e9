/** The audit trail: manual changes, filtered by actor, operation and target. */
import type { Entry } from "../../index.ts";
import { PATHS } from "../../internal.ts";
import type { AuditRow } from "../../ops.ts";
import { OPS_PATH } from "../operator-access.ts";
import type { OpsContext, Screens } from "../ops-context.ts";
import { screen } from "../screen.tsx";
import { commandsOf } from "../views/cli-commands.ts";
import { countText } from "../views/format.ts";
import { CommandsPanel, Empty, Pager, Time } from "./parts.tsx";
import { Heads } from "./table-head.tsx";

const PAGE = 100;
const FIELDS = ["actor", "operation", "target"] as const;
type Filter = Partial<Record<(typeof FIELDS)[number], string>>;

interface AuditData {
  rows: AuditRow[];
  total: number;
  next: string | undefined;
  filter: Filter;
}

export function auditScreen(screens: Screens): Entry[] {
  return [
    screen<AuditData>(screens, "/audit", {
      title: "Audit trail",
      section: "Audit trail",
      load: async ({ ctx, app }) => {
        const filter: Filter = {};
        for (const field of FIELDS) {
          const given = ctx.query.get(field)?.trim();
          if (given) filter[field] = given;
        }
        const cursor = ctx.query.get("cursor");
        const page = await app.operations.audit({ ...filter, limit: PAGE, ...(cursor && { cursor }) });
        return { rows: page.items, total: page.total, next: page.nextCursor, filter };
      },
      view: (data, opsContext) => <Audit data={data} opsContext={opsContext} />,
    }),
  ];
}

function Audit({ data: { rows, total, next, filter }, opsContext }: { data: AuditData; opsContext: OpsContext }) {
  const query = new URLSearchParams(filter).toString();
  return (
    <>
      <div class="title">
        <h1>Audit trail</h1>
        <p class="quiet">manual changes</p>
      </div>
      <form method="get" action={`${OPS_PATH}/audit`} class="filters" role="search" aria-label="Filter the audit trail">
        {FIELDS.map((field) => (
          <label key={field}>
            {`${field[0]?.toUpperCase()}${field.slice(1)}`}
            <input name={field} value={filter[field] ?? ""} autocomplete="off" />
          </label>
        ))}
        <button type="submit" class="button" data-tone="main">
          Filter
        </button>
      </form>
      {rows.length === 0 ? (
        <Empty title={query === "" ? "No manual changes yet" : "No entries match these filters"}>
          <p>Each operator action is recorded with its actor, time, target, reason and address.</p>
        </Empty>
      ) : (
        <AuditTable rows={rows} opsContext={opsContext} />
      )}
      <Pager
        href={next === undefined ? undefined : `${OPS_PATH}/audit?${new URLSearchParams({ ...filter, cursor: next })}`}
        text={`${countText(rows.length)} of ${countText(total)}`}
      />
      <CommandsPanel commands={commandsOf(opsContext.origin, "GET", PATHS.audit + (query === "" ? "" : `?${query}`))} />
    </>
  );
}

export function AuditTable({
  rows,
  opsContext,
  isOfOne,
}: {
  rows: readonly AuditRow[];
  opsContext: OpsContext;
  isOfOne?: boolean;
}) {
  return (
    <div class="scroll">
      <table>
        <Heads columns={["Time", "Actor", "Operation", ...(isOfOne ? [] : ["Target"]), "Reason", "Details"]} />
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td data-label="Time">
                <Time ms={row.atMs} opsContext={opsContext} />
              </td>
              <td data-label="Actor">
                {row.actor} <span class="quiet">{row.address ?? ""}</span>
              </td>
              <td data-label="Operation">
                <code>{row.operation}</code>
              </td>
              {isOfOne ? null : (
                <td data-label="Target">
                  <Target row={row} />
                </td>
              )}
              <td data-label="Reason">{row.note ?? ""}</td>
              <td data-label="Details">{row.data === undefined ? "" : <code>{JSON.stringify(row.data)}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Target({ row: { target } }: { row: AuditRow }) {
  if (target.startsWith("g_")) return <a href={`${OPS_PATH}/runs/${target}`}>{target}</a>;
  if (target.startsWith("held_")) return <a href={`${OPS_PATH}/held/${target}`}>{target}</a>;
  return <span>{target}</span>;
}
