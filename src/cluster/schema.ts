/**
 * Tables of what processes that share a database tell each other: that they are there, and what one wants of another. Those of
 * graphs are the store's.
 */

import { callTables } from "./messages.ts";
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
    ${withFigures(schema)}
    ${withWants(schema)}
    ${withToldBuild(schema)}
    create index if not exists commands_waiting on ${schema}.commands (process) where answer is null;
    ${permitTables(schema)}
    ${callTables(schema)}
  `;
}

/**
 * jsonb refuses U+0000 and lone surrogates, which texts of apps may hold: what one of them stood in was done and never answered. Tables
 * of before may have it.
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

/** Tables of before have no figures. Looked for first: who alters a table waits for all that others do with it. */
function withFigures(schema: string): string {
  return `
    do $$ begin
      if not exists (select from pg_attribute where attrelid = '${schema}.processes'::regclass and attname = 'memory_bytes') then
        alter table ${schema}.processes add column loop_p99_ms float8, add column memory_bytes float8;
      end if;
    end $$;`;
}

/** The same for workers of which a process has more to run than places. */
function withWants(schema: string): string {
  return `
    do $$ begin
      if not exists (select from pg_attribute where attrelid = '${schema}.processes'::regclass and attname = 'wants') then
        alter table ${schema}.processes add column wants text[] not null default '{}';
      end if;
    end $$;`;
}

/** The same for the build as operators know it: the column `build` tells code from other code. Processes of before leave it empty. */
function withToldBuild(schema: string): string {
  return `
    do $$ begin
      if not exists (select from pg_attribute where attrelid = '${schema}.processes'::regclass and attname = 'told_build') then
        alter table ${schema}.processes add column told_build text;
      end if;
    end $$;`;
}
