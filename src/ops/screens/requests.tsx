/** What this process is answering now, and whom it has turned away: for those who ask why it is slow, or who is knocking so often. */
import type { App, Entry } from "../../index.ts";
import { PATHS } from "../../internal.ts";
import type { RefusedCaller, RequestView } from "../../ops.ts";
import { OPS_PATH } from "../operator-access.ts";
import type { OpsContext, Screens } from "../ops-context.ts";
import { screen } from "../screen.tsx";
import { commandsOf } from "../views/cli-commands.ts";
import { inTurn } from "../views/requests.ts";
import { clockText, countText } from "../views/format.ts";
import { CommandsPanel, Empty, Time } from "./parts.tsx";
import { Heads } from "./table-head.tsx";

const REQUESTS_PATH = `${OPS_PATH}/requests`;
/** Requests come and go without a word to anybody, so the page looks again by itself. */
const AGAIN_MS = 4000;
/** Rows of a table. Event streams may be thousands. */
const ROWS = 100;

interface RequestsData {
  requests: readonly RequestView[];
  refused: ReturnType<App["operations"]["refusedCallers"]>;
}

export function requestScreens(screens: Screens): Entry[] {
  return [
    screen<RequestsData>(screens, "/requests", {
      title: "Requests",
      section: "Requests",
      load: async ({ app, ctx }) => ({
        requests: inTurn(app.operations.requests(), ctx.requestId),
        refused: app.operations.refusedCallers(),
      }),
      follows: () => ["processes"],
      isActive: () => true,
      view: (data, opsContext) => <Requests data={data} opsContext={opsContext} />,
    }),
  ];
}

function Requests({ data: { requests, refused }, opsContext }: { data: RequestsData; opsContext: OpsContext }) {
  return (
    <>
      <div class="title">
        <h1>Requests</h1>
        <p class="quiet">of the process that shows this page</p>
      </div>
      <section aria-labelledby="now">
        <div class="head">
          <h2 id="now">Answered now</h2>
          <p class="quiet">those that hold on first, then streams; without the one for this page</p>
        </div>
        <div data-live="now">
          <NowTable requests={requests} opsContext={opsContext} />
          <p class="quiet" data-due={AGAIN_MS}>{`as of ${clockText(opsContext.nowMs, opsContext.zone)}`}</p>
        </div>
      </section>
      <section aria-labelledby="refused">
        <div class="head">
          <h2 id="refused">Refused by a rate limit</h2>
          <p class="quiet">in the last hour; IPv6 addresses by their /64, as limits count them</p>
        </div>
        <div data-live="refused">
          <RefusedTable refused={refused} opsContext={opsContext} />
        </div>
      </section>
      <CommandsPanel commands={commandsOf(opsContext.origin, "GET", PATHS.status, "svc top")} />
    </>
  );
}

function NowTable({ requests, opsContext }: { requests: readonly RequestView[]; opsContext: OpsContext }) {
  if (requests.length === 0) return <Empty title="Nothing else is being answered" />;
  return (
    <>
      <div class="scroll">
        <table>
          <Heads columns={["Method", "Route", "Since", "Client", "Answer", "Request id"]} />
          <tbody>
            {requests.slice(0, ROWS).map((request) => (
              <tr key={request.request_id}>
                <td data-label="Method">{request.method}</td>
                <th scope="row" data-label="Route">
                  {request.route === null ? <span class="quiet">no route</span> : <code>{request.route}</code>}
                </th>
                <td data-label="Since">
                  <Time ms={request.since_ms} opsContext={opsContext} />
                </td>
                <td data-label="Client">
                  {request.client === "" ? <span class="quiet">has left</span> : request.client}
                </td>
                <td data-label="Answer">{request.is_stream ? "stream" : <span class="quiet">not yet</span>}</td>
                <td data-label="Request id">
                  <code>{request.request_id}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More shown={ROWS} count={requests.length} />
    </>
  );
}

function RefusedTable({
  refused: { count, callers },
  opsContext,
}: {
  refused: RequestsData["refused"];
  opsContext: OpsContext;
}) {
  if (callers.length === 0) return <Empty title="Nobody was refused" />;
  return (
    <>
      <p>{`${countText(count)} requests were refused.`}</p>
      <div class="scroll">
        <table>
          <Heads columns={["Client", ["Refused", "number"], "Limit", "Asked last for", "First", "Last"]} />
          <tbody>
            {callers.slice(0, ROWS).map((caller) => (
              <tr key={`${caller.limit} ${caller.client}`}>
                <th scope="row" data-label="Client">
                  {caller.client}
                </th>
                <td data-label="Refused" class="number">
                  {countText(caller.count)}
                </td>
                <td data-label="Limit">
                  <code>{caller.limit}</code>
                </td>
                <td data-label="Asked last for">
                  <code>{caller.target}</code>
                </td>
                <td data-label="First">
                  <Time ms={caller.first_ms} opsContext={opsContext} />
                </td>
                <td data-label="Last">
                  <Time ms={caller.last_ms} opsContext={opsContext} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More shown={ROWS} count={callers.length} />
    </>
  );
}

function More({ shown, count }: { shown: number; count: number }) {
  return count > shown ? <p class="quiet">{`and ${countText(count - shown)} more`}</p> : null;
}

/** As one of what needs attention. */
export function RefusedItem({ caller, opsContext }: { caller: RefusedCaller; opsContext: OpsContext }) {
  return (
    <li>
      <span class="trouble-count" data-tone="warn">
        {countText(caller.count)}
      </span>
      <div>
        <a class="trouble-text" href={`${REQUESTS_PATH}#refused`} data-row>
          {`${caller.client} was refused by the rate limit ${caller.limit}`}
        </a>
        <p class="quiet">
          {"last at "}
          {caller.target} <Time ms={caller.last_ms} opsContext={opsContext} />
          {caller.count > 1 ? ", first " : ""}
          {caller.count > 1 ? <Time ms={caller.first_ms} opsContext={opsContext} /> : null}
        </p>
      </div>
      <a class="button" href={`${REQUESTS_PATH}#refused`}>
        Look…
      </a>
    </li>
  );
}
