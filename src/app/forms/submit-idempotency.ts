/** Runs a form that is submitted twice once: by its key, compared with its content (decisions 014, 023). */
import { createHash } from "node:crypto";
import { RequestContext } from "../../platform/http/request/context.ts";
import { json } from "../../platform/http/response/response.ts";
import type { Result } from "../../platform/http/types.ts";
import { sleep } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { COOKIES, HEADERS, type ActionReply } from "../../platform/shared/wire.ts";
import type { Services } from "../services.ts";
import { outcome, type Call, type Outcome, type Read } from "./submit-call.ts";

/** Polls for an answer that another request is producing: number of polls, and the pause between them. */
const MAX_POLLS = 100;
const POLL_EVERY_MS = 100;

type Perform = (call: Call, body: Read) => Promise<Outcome>;

/** Forms that this process is answering, by intent: a repeated form waits for the same answer. */
const activeForms = new WeakMap<Services, Map<string, Promise<Outcome>>>();

/** @param body has a key @param perform runs it, whatever the outcome */
export async function runOnce(call: Call, body: Read & { key: string }, perform: Perform): Promise<Outcome> {
  const { ctx, endpoints, name } = call;
  const { services } = endpoints;
  const mine = activeForms.get(services) ?? new Map<string, Promise<Outcome>>();
  activeForms.set(services, mine);
  // The same form with other content is another intent: after "back" in the browser it has the old key.
  const intent = createHash("sha256")
    .update(JSON.stringify([body.key, body.digest]))
    .digest("hex");
  const place = JSON.stringify([name, ctx.cookie(COOKIES.csrf), ctx.sessionId, intent]);
  const first = mine.get(place);
  if (first) return { ...(await first), headers: REPLAYED };
  const outcome = kept(call, body, intent, perform).finally(() => mine.delete(place));
  mine.set(place, outcome);
  return outcome;
}

const REPLAYED = [HEADERS.idempotencyReplayed, "true"];

async function kept(call: Call, body: Read, intent: string, perform: Perform): Promise<Outcome> {
  const { ctx, endpoints, name } = call;
  const { services } = endpoints;
  const keyed = { ctx, name: `submit ${name}`, args: body.digest, headers: [] };
  let made: Outcome | undefined;
  try {
    const answer = await pollForAnswer(services, () =>
      services.answers.once(intent, keyed, async () => {
        // A repeated form waits for this answer.
        if (ctx instanceof RequestContext) ctx.outlive();
        made = await perform(call, body);
        return json(made.reply, made.status);
      }),
    );
    return made ?? outcomeIn(answer);
  } catch (error) {
    // A regular outcome: the page is shown again with a new key, so that the visitor can submit it again.
    if (!isActive(error)) throw error;
    const { status, headers } = error;
    return outcome(call, new SvcError("SVC_INVALID", CUT_OFF, { status, cause: error, ...(headers && { headers }) }));
  }
}

const CUT_OFF =
  "This form was sent before, and its outcome is unknown. Check whether the change was made before you send it again";

function isActive(error: unknown): error is SvcError {
  return error instanceof SvcError && error.status === 409 && error.headers?.["retry-after"] !== undefined;
}

/** The answer that another process is producing: a double click submits the form twice at once. */
async function pollForAnswer(services: Services, ask: () => Promise<Result>): Promise<Result> {
  for (let asked = 1; ; asked++) {
    try {
      return await ask();
    } catch (error) {
      if (!isActive(error) || asked === MAX_POLLS) throw error;
      await sleep(services.clock, POLL_EVERY_MS);
    }
  }
}

function outcomeIn({ status, body }: Result): Outcome {
  return {
    status,
    reply: JSON.parse(typeof body === "string" ? body : "null") as ActionReply,
    headers: REPLAYED,
  };
}
