/** Tables with which processes that share a database communicate: members and commands. Runs are in the store's tables. */

import { addedColumns } from "./added-columns.ts";
import { callTables } from "./messages.ts";
import { permitTables } from "./permits.ts";

/** First half of advisory lock keys: `svc` as a number. */
export const LOCK_CLASS = 0x737663;

/** Columns that were added to processes later. */
const LATER_COLUMNS: readonly (readonly [string, ...string[]])[] = [
  ["memory_bytes float8", "loop_p99_ms float8"],
  // Build id for operators: the column `build` distinguishes code. Processes of older versions leave it empty.
  ["told_build text"],
];

/** @param schema quoted */
export function clusterTables(schema: string): string {
  return `
    create table if not exists ${schema}.processes (
      id text primary key,
      number int not null,
      backend_pid int not null,
      host text not null,
      role text not null,
      workers text[] not null,
      definitions text[] not null,
      pools text[] not null default '{}',
      claimant text,
      build text not null,
      loop_p99_ms float8,
      memory_bytes float8,
      started_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz not null default clock_timestamp()
    );
    create sequence if not exists ${schema}.process_numbers as int cycle;
    create table if not exists ${schema}.commands (
      id text primary key,
      process text not null,
      sender text not null,
      body json not null,
      answer json,
      created_at timestamptz not null default clock_timestamp()
    );
    ${asText(schema)}
    ${LATER_COLUMNS.map((columns) => addedColumns(`${schema}.processes`, columns)).join("")}
    create index if not exists commands_waiting on ${schema}.commands (process) where answer is null;
    ${permitTables(schema)}
    ${callTables(schema)}
  `;
}

/**
 * jsonb rejects U+0000 and lone surrogates, which texts of apps may contain: a command with one was executed and never answered. Tables
 * of older versions may use it.
 */
function asText(schema: string): string {
  return `
    do $$ begin
      if exists (select from pg_attribute where attrelid = '${schema}.commands'::regclass and attname = 'body'
                 and atttypid = 'jsonb'::regtype) then
        alter table ${schema}.commands alter column body type json using body::json, alter column answer type json using answer::json;
      end if;
    end $$;`;
}
