/**
 * Tables of what processes that share a database tell each other: that they are there, and what one wants of another. Those of
 * graphs are the store's.
 */

import { permitTables } from "./permits.ts";

/** First half of the keys of advisory locks: `svc` as a number. */
export const LOCK_CLASS = 0x737663;

/** @param schema quoted already */
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
      started_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz not null default clock_timestamp()
    );
    create sequence if not exists ${schema}.process_numbers as int cycle;
    create table if not exists ${schema}.commands (
      id text primary key,
      process text not null,
      sender text not null,
      body jsonb not null,
      answer jsonb,
      created_at timestamptz not null default clock_timestamp()
    );
    create index if not exists commands_waiting on ${schema}.commands (process) where answer is null;
    ${permitTables(schema)}
  `;
}
