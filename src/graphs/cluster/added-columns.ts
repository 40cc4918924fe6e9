/** Adds columns to tables of older versions. */

/**
 * SQL that adds missing columns. It checks first, because `ALTER TABLE` waits for all other users of the table.
 * @param table with its schema
 * @param columns names and types, as in `CREATE TABLE`; the first one decides whether they exist
 */
export function addedColumns(table: string, columns: readonly [string, ...string[]]): string {
  const [name] = columns[0].split(" ", 1);
  const added = columns.map((column) => `add column ${column}`).join(", ");
  return `
    do $$ begin
      if not exists (select from pg_attribute where attrelid = '${table}'::regclass and attname = '${name}') then
        alter table ${table} ${added};
      end if;
    end $$;`;
}
