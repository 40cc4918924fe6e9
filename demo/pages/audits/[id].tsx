/** `/audits/[id]`: progress, failure or report of one audit. The unguessable id (26 random characters) grants access. */
import { notFound } from "svckit";
import type { LoadContext, PageProps } from "svckit/fullstack";
import type { Snapshot } from "svckit/graph";
import type { JSX } from "svckit/jsx-runtime";
import app from "../../app.ts";
import { progressOfSnapshot, stateWord, type Progress } from "../../audit/progress.ts";
import type { Report } from "../../audit/types.ts";
import { AuditProgress } from "../_audit/progress.tsx";
import { ReportTable } from "../_audit/report-table.tsx";

export const load = async ({ params }: LoadContext<"/audits/[id]">) => {
  const audit = await app.engine.snapshot(params.id);
  if (audit?.worker !== "audit") notFound();
  return {
    audit,
    // Continues after the events in the snapshot.
    eventsUrl: `${app.eventsUrl(audit.graph_id)}&after=${audit.last_seq}`,
    // In production the operator screens require a sign-in, so visitors get no link.
    operatorsUrl: app.config.isProduction ? undefined : `/_svc/ops/runs/${audit.graph_id}`,
  };
};

export const head = ({ data }: PageProps<typeof load>) => ({
  title: `Audit ${data.audit.status}`,
  robots: { index: false },
});

export default function AuditPage({ data }: PageProps<typeof load>): JSX.Element {
  const { audit, eventsUrl, operatorsUrl } = data;
  return (
    <>
      <header class="page-head">
        <h1>{audit.status === "done" ? `Audit of ${(audit.result as Report).project}` : "Audit"}</h1>
        <p class="quiet">
          <code>{audit.graph_id}</code> · {describeTime(audit)}
          {operatorsUrl === undefined ? null : (
            <>
              {" "}
              · <a href={operatorsUrl}>operator screen</a>
            </>
          )}
        </p>
      </header>
      {audit.status === "done" || audit.status === "failed" ? null : (
        <AuditProgress here={`/audits/${audit.graph_id}`} eventsUrl={eventsUrl} start={progressOfSnapshot(audit)} />
      )}
      {audit.status === "failed" ? <Failure audit={audit} /> : null}
      {audit.status === "done" || audit.status === "failed" ? (
        <EndedGraph progress={progressOfSnapshot(audit)} />
      ) : null}
      {audit.status === "done" ? <ReportView report={audit.result as Report} /> : null}
    </>
  );
}

/** The graph of an ended audit: the same markup as in AuditProgress, without its script. */
function EndedGraph(props: { progress: Progress }): JSX.Element {
  const { parse, inspect, report, inspected, packages } = props.progress;
  return (
    <ol class="graph" aria-label="Nodes of the graph">
      <li class={["node", `node-${parse}`]}>
        <strong>parse</strong> <span class="node-state">{stateWord(parse)}</span>
      </li>
      <li class={["node", `node-${inspect}`]}>
        <strong>inspect</strong>{" "}
        <span class="node-state">{packages === 0 ? stateWord(inspect) : `${inspected} / ${packages}`}</span>
      </li>
      <li class={["node", `node-${report}`]}>
        <strong>report</strong> <span class="node-state">{stateWord(report)}</span>
      </li>
    </ol>
  );
}

function Failure(props: { audit: Snapshot }): JSX.Element {
  const error = props.audit.error;
  return (
    <section class="notice notice-bad" aria-labelledby="failure-heading">
      <h2 id="failure-heading">The audit failed{error?.node === undefined ? "" : ` in “${error.node}”`}</h2>
      <p id="failure">{error?.message ?? "No error was recorded."}</p>
      <p>
        <a href="/">Try another lockfile</a>
      </p>
    </section>
  );
}

function ReportView(props: { report: Report }): JSX.Element {
  const { totals, findings, licenses, rows } = props.report;
  return (
    <>
      <dl class="figures">
        <div>
          <dt>Packages</dt>
          <dd>{totals.packages}</dd>
        </div>
        <div>
          <dt>For development</dt>
          <dd>{totals.dev}</dd>
        </div>
        <div>
          <dt>Licences</dt>
          <dd>{totals.licenses}</dd>
        </div>
        <div>
          <dt>Packages with findings</dt>
          <dd>{totals.flagged}</dd>
        </div>
      </dl>
      <div class="columns">
        <section aria-labelledby="findings-heading">
          <h2 id="findings-heading">Findings</h2>
          {findings.length === 0 ? (
            <p class="notice notice-good">Nothing to report: every package is hashed, licensed and current.</p>
          ) : (
            <table>
              <caption class="visually-hidden">Findings by kind, heaviest first</caption>
              <thead>
                <tr>
                  <th scope="col">Finding</th>
                  <th scope="col" class="number">
                    Weight
                  </th>
                  <th scope="col" class="number">
                    Packages
                  </th>
                </tr>
              </thead>
              <tbody>
                {findings.map((finding) => (
                  <tr>
                    <th scope="row">{finding.title}</th>
                    <td class="number">{finding.weight}</td>
                    <td class="number">{finding.packages}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
        <section aria-labelledby="licences-heading">
          <h2 id="licences-heading">Licences</h2>
          <table>
            <caption class="visually-hidden">Packages by licence, most frequent first</caption>
            <thead>
              <tr>
                <th scope="col">Licence</th>
                <th scope="col" class="number">
                  Packages
                </th>
                <th scope="col" class="number">
                  Share
                </th>
              </tr>
            </thead>
            <tbody>
              {licenses.map((item) => (
                <tr>
                  <th scope="row">{item.license}</th>
                  <td class="number">{item.packages}</td>
                  <td class="number">{share(item.packages, totals.packages)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
      <ReportTable rows={rows} />
    </>
  );
}

function share(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
}

/** The duration of an ended audit, else the start time of an active one. */
function describeTime(audit: Snapshot): string {
  const began = audit.started_ms ?? audit.created_ms;
  if (audit.finished_ms !== null) return `took ${((audit.finished_ms - began) / 1000).toFixed(2)} s`;
  return `began ${new Date(began).toISOString().replace("T", " ").slice(0, 19)} UTC`;
}
