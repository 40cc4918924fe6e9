/**
 * `POST …/csp-report`: receives policy violations from browsers (`security: { report: true }`). Reports carry no token and need none:
 * each results in at most a log line, limited for each client and in total.
 */
import { foreignCharset, requireLength, requireMediaType } from "../../platform/http/body/read-body.ts";
import { empty } from "../../platform/http/response/response.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import type { RateLimit } from "../../platform/security/rate-limits/rate-limit.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { parseJson } from "../../platform/shared/json.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { readReports } from "../pipeline/policy-reports.ts";
import type { Endpoints, Services } from "../services.ts";

const MAX_BODY_BYTES = 64 * 1024;
/** Requests per minute: a broken page reports on each visit, and a client visits few pages. */
const PER_CLIENT = 30;
/** Log lines per minute in total: people read the log, and disks store it. */
const LINES = 120;

const TYPES = ["application/csp-report", "application/reports+json"];

export function reportEndpoints({ router, services }: Endpoints): void {
  const { limits: made } = services;
  const limits = { clients: made.make("reports", PER_CLIENT), lines: made.make("report-lines", LINES) };
  router.add("POST", PATHS.cspReport, (ctx) => receive(ctx, services, limits));
}

interface Limits {
  clients: RateLimit;
  lines: RateLimit;
}

async function receive(ctx: Context, services: Services, limits: Limits): Promise<Result> {
  const verdict = await limits.clients.take(ctx.clientIp, PATHS.cspReport);
  if (!verdict.isAllowed) {
    const [, retryAfter = "60"] = verdict.headers.slice(verdict.headers.indexOf("retry-after"));
    throw new SvcError("SVC_RATE_LIMIT", "Too many reports", { headers: { "retry-after": retryAfter } });
  }
  requireMediaType(ctx, TYPES);
  if (foreignCharset(ctx.header("content-type")) !== undefined) throw new SvcError("SVC_INVALID", "Send UTF-8");
  requireLength(ctx, MAX_BODY_BYTES);
  for (const report of readReports(parseJson(await ctx.text(MAX_BODY_BYTES)))) {
    if ((await limits.lines.take("all", PATHS.cspReport)).isAllowed)
      services.log.warn({ ...report }, "A browser reported a policy violation");
  }
  return empty();
}
