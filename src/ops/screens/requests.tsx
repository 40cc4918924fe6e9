/** The requests that this process is answering now, and the clients that its rate limits rejected. */
import type { App, Entry } from "../../index.ts";
import { PATHS } from "../../internal.ts";
import type { RefusedCaller, RequestView } from "../../ops.ts";
import { OPS_PATH } from "../operator-access.ts";
import type { OpsContext, Screens } from "../ops-context.ts";
import { screen } from "../screen.tsx";
import { commandsOf } from "../views/cli-commands.ts";
import { sortRequests } from "../views/requests.ts";
import { clockText, countText } from "../views/format.ts";
import { CommandsPanel, Empty, Time } from "./parts.tsx";
import { Heads } from "./table-head.tsx";

const REQUESTS_PATH = `${OPS_PATH}/requests`;
/** Requests emit no change events, so the page polls. */
const AGAIN_MS = 4000;
/** Maximum rows of a table: there may be thousands of event streams. */
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
        requests: sortRequests(app.operations.requests(), ctx.requestId),
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
        <p class="quiet">of the process that serves this page</p>
      </div>
      <section aria-labelledby="now">
        <div class="head">
          <h2 id="now">Active requests</h2>
          <p class="quiet">longest-running first, then streams; excluding the request for this page</p>
        </div>
        <div data-live="now">
          <NowTable requests={requests} opsContext={opsContext} />
          <p class="quiet" data-due={AGAIN_MS}>{`as of ${clockText(opsContext.nowMs, opsContext.zone)}`}</p>
        </div>
      </section>
      <section aria-labelledby="refused">
        <div class="head">
          <h2 id="refused">Rejected by rate limits</h2>
          <p class="quiet">in the last hour; IPv6 clients by their /64 prefix, as rate limits count them</p>
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
  if (requests.length === 0) return <Empty title="No other active requests" />;
  return (
    <>
      <div class="scroll">
        <table>
          <Heads columns={["Method", "Route", "Started", "Client", "Response", "Request ID"]} />
          <tbody>
            {requests.slice(0, ROWS).map((request) => (
              <tr key={request.request_id}>
                <td data-label="Method">{request.method}</td>
                <th scope="row" data-label="Route">
                  {request.route === null ? <span class="quiet">no route</span> : <code>{request.route}</code>}
                </th>
                <td data-label="Started">
                  <Time ms={request.since_ms} opsContext={opsContext} />
                </td>
                <td data-label="Client">
                  {request.client === "" ? <span class="quiet">disconnected</span> : request.client}
                </td>
                <td data-label="Response">{request.is_stream ? "stream" : <span class="quiet">pending</span>}</td>
                <td data-label="Request ID">
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
  if (callers.length === 0) return <Empty title="No rejected requests" />;
  return (
    <>
      <p>{`${countText(count)} ${count === 1 ? "request was" : "requests were"} rejected.`}</p>
      <div class="scroll">
        <table>
          <Heads columns={["Client", ["Rejected", "number"], "Limit", "Last requested", "First", "Last"]} />
          <tbody>
            {callers.slice(0, ROWS).map((caller) => (
              <tr key={`${caller.limit} ${caller.client}`}>
                <th scope="row" data-label="Client">
                  {caller.client}
                </th>
                <td data-label="Rejected" class="number">
                  {countText(caller.count)}
                </td>
                <td data-label="Limit">
                  <code>{caller.limit}</code>
                </td>
                <td data-label="Last requested">
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

/** A rejected client in the "Needs attention" list. */
export function RefusedItem({ caller, opsContext }: { caller: RefusedCaller; opsContext: OpsContext }) {
  return (
    <li>
      <span class="trouble-count" data-tone="warn">
        {countText(caller.count)}
      </span>
      <div>
        <a class="trouble-text" href={`${REQUESTS_PATH}#refused`} data-row>
          {`${caller.client} was rejected by the rate limit ${caller.limit}`}
        </a>
        <p class="quiet">
          {"last at "}
          {caller.target} <Time ms={caller.last_ms} opsContext={opsContext} />
          {caller.count > 1 ? ", first " : ""}
          {caller.count > 1 ? <Time ms={caller.first_ms} opsContext={opsContext} /> : null}
        </p>
      </div>
      <a class="button" href={`${REQUESTS_PATH}#refused`}>
        View…
      </a>
    </li>
  );
}
