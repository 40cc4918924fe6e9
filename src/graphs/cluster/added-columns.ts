/** Columns that tables of before have not. */

/**
 * SQL that adds them where they are not there yet. Looked for first: who alters a table waits for all that others do with it.
 * @param table with its schema
 * @param columns names and types, as `CREATE TABLE` has them; of the first it is told whether they are there
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
