/**
 * A store whose payloads are encrypted at rest: the one place through which all payloads go on their way to the database. Without keys
 * it decrypts nothing and encrypts nothing, and reports values that need a key. Decision 116.
 */
import type { Log } from "../../platform/shared/log.ts";
import type { AuditRows, NewAudit, QueueRows, ScheduleRow, ScheduleRows } from "../contract/control.ts";
import type { Store } from "../contract/contract.ts";
import type { AnswerRow, AnswerStore } from "../contract/session-store.ts";
import type { SentEventRow, SentEventRows } from "../contract/sent-events.ts";
import type { GroupChange, StartGroupRow, StartGroupRows } from "../contract/start-groups.ts";
import type { OutboxRow } from "../contract/webhook-rows.ts";
import { EncryptedGraphs } from "./encrypted-graphs.ts";
import { encryptedWebhooks } from "./encrypted-webhooks.ts";
import { passed } from "./passed.ts";
import { isPayloadKeyError, type PayloadCipher } from "./payload-cipher.ts";
import { answerPlace, auditPayloads, schedulePayloads, sentEventPayloads, startGroupPayloads } from "./payload-rows.ts";
import { opening, sealing, showing } from "./payload-transform.ts";
import { readableRows, type ReadableRows } from "./readable-rows.ts";

/** @param log for rows that are left alone because their key is missing */
export function encryptedStore(store: Store, cipher: PayloadCipher, log: Log): Store {
  const sent = new WeakMap<OutboxRow, OutboxRow>();
  return {
    // Sessions, limits and counts contain no payloads of runs.
    ...passed(store, ["sessions", "admission", "activity", "rates", "sizeBytes", "sweepObjects", "close"]),
    graphs: new EncryptedGraphs(store.graphs, cipher, sent),
    webhooks: encryptedWebhooks(store.webhooks, cipher, sent),
    answers: encryptedAnswers(store.answers, cipher),
    schedules: encryptedSchedules(store.schedules, cipher),
    queues: encryptedQueues(store.queues, cipher),
    audit: encryptedAudit(store.audit, cipher),
    sentEvents: encryptedSentEvents(store.sentEvents, cipher, log),
    startGroups: encryptedStartGroups(store.startGroups, cipher, log),
  };
}

function encryptedAnswers(answers: AnswerStore, cipher: PayloadCipher): AnswerStore {
  const opened = (row: AnswerRow | undefined): AnswerRow | undefined =>
    row?.answer && { ...row, answer: { ...row.answer, body: cipher.openText(row.answer.body, answerPlace(row.id)) } };
  return {
    ...passed(answers, ["purge"]),
    claim: async (row, sinceMs) => {
      const known = await answers.claim(row, sinceMs);
      return opened(known) ?? known;
    },
    find: async (id) => {
      const known = await answers.find(id);
      return opened(known) ?? known;
    },
    settle: (id, status, body) => answers.settle(id, status, cipher.sealText(body, answerPlace(id))),
  };
}

const sealedAudit = (cipher: PayloadCipher, audit: NewAudit | undefined): NewAudit | undefined =>
  audit && auditPayloads(sealing(cipher), audit);

function encryptedSchedules(schedules: ScheduleRows, cipher: PayloadCipher): ScheduleRows {
  const [open, show] = [opening(cipher), showing(cipher)];
  return {
    ...passed(schedules, ["moveOn"]),
    change: async (name, make, audit) => {
      const change = (old: ScheduleRow | undefined): ScheduleRow => changedSchedule(cipher, old, make);
      return schedulePayloads(show, await schedules.change(name, change, sealedAudit(cipher, audit)));
    },
    remove: (name, source, audit) => schedules.remove(name, source, sealedAudit(cipher, audit)),
    schedule: async (name) => {
      const row = await schedules.schedule(name);
      return row && schedulePayloads(open, row);
    },
    schedules: async () => (await schedules.schedules()).map((row) => schedulePayloads(show, row)),
  };
}

/** An input whose key is missing stays as it is, unless it is replaced: a deploy must not fail because of it. */
function changedSchedule(
  cipher: PayloadCipher,
  old: ScheduleRow | undefined,
  make: (old: ScheduleRow | undefined) => ScheduleRow,
): ScheduleRow {
  const known = old && readableOr(() => schedulePayloads(opening(cipher), old), undefined);
  if (known !== undefined || old === undefined) return schedulePayloads(sealing(cipher), make(known));
  const made = make(old);
  return made.input === old.input ? made : schedulePayloads(sealing(cipher), made);
}

function readableOr<Value>(read: () => Value, instead: Value): Value {
  try {
    return read();
  } catch (error) {
    if (isPayloadKeyError(error)) return instead;
    throw error;
  }
}

function encryptedQueues(queues: QueueRows, cipher: PayloadCipher): QueueRows {
  return {
    ...passed(queues, ["paused"]),
    pause: (row, audit) => queues.pause(row, sealedAudit(cipher, audit)),
    resume: (worker, audit) => queues.resume(worker, sealedAudit(cipher, audit)),
  };
}

function encryptedAudit(audit: AuditRows, cipher: PayloadCipher): AuditRows {
  const [seal, show] = [sealing(cipher), showing(cipher)];
  return {
    ...passed(audit, ["purge"]),
    add: (row) => audit.add(auditPayloads(seal, row)),
    list: async (query) => {
      const page = await audit.list(query);
      return { ...page, items: page.items.map((row) => auditPayloads(show, row)) };
    },
  };
}

function encryptedSentEvents(events: SentEventRows, cipher: PayloadCipher, log: Log): SentEventRows {
  const [seal, open, show] = [sealing(cipher), opening(cipher), showing(cipher)];
  const opened = (row: SentEventRow): SentEventRow => sentEventPayloads(open, row);
  return {
    ...passed(events, ["handled", "objects", "purge"]),
    add: (row) => events.add(sentEventPayloads(seal, row)),
    pending: (after, before, limit) => decryptedRows(log, limit, opened, (most) => events.pending(after, before, most)),
    after: (name, position, limit) => decryptedRows(log, limit, opened, (most) => events.after(name, position, most)),
    list: async (query) => (await events.list(query)).map((row) => sentEventPayloads(show, row)),
  };
}

function encryptedStartGroups(groups: StartGroupRows, cipher: PayloadCipher, log: Log): StartGroupRows {
  const [seal, open] = [sealing(cipher), opening(cipher)];
  const opened = (row: StartGroupRow): StartGroupRow => startGroupPayloads(open, row);
  const sealedChange =
    (decide: (group: StartGroupRow | undefined) => GroupChange) =>
    (group: StartGroupRow | undefined): GroupChange =>
      decide(group && opened(group)).map((row) => startGroupPayloads(seal, row));
  return {
    ...passed(groups, ["remove", "nextDueMs"]),
    join: async (event, graph, key, decide) =>
      (await groups.join(event, graph, key, sealedChange(decide)))?.map(opened),
    count: (graph, key, decide) => groups.count(graph, key, sealedChange(decide)),
    due: (nowMs, limit) => decryptedRows(log, limit, opened, (most) => groups.due(nowMs, most)),
    close: async (row, nowMs) => {
      const closed = await groups.close(row, nowMs);
      return closed && opened(closed);
    },
  };
}

/** The first rows that can be decrypted. The others wait until their key is back. */
function decryptedRows<Row>(
  log: Log,
  limit: number,
  open: (row: Row) => Row,
  read: (limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  return readableRows(
    limit,
    read,
    (rows) => decrypted(rows, open),
    (errors) => log.error({ err: errors[0], count: errors.length }, "Stored events can't be decrypted"),
  );
}

function decrypted<Row>(rows: readonly Row[], open: (row: Row) => Row): ReadableRows<Row> {
  const errors: Error[] = [];
  const readable = rows.flatMap((row) => {
    try {
      return [open(row)];
    } catch (error) {
      if (!isPayloadKeyError(error)) throw error;
      errors.push(error);
      return [];
    }
  });
  return { readable, errors };
}
