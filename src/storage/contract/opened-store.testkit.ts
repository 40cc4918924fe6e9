/** Stores for suites that run on each kind of database. */
import { testDatabase, type TestDatabase } from "../../testing/test-database.ts";
import type { Store } from "./contract.ts";
import { openStore } from "../open-store.ts";

export interface OpenedStore {
  open: () => Promise<Store>;
  close: () => Promise<void>;
}

/** @param url URL of a store; `postgres:` creates a database, which is deleted with the store. */
export function openedStore(url: string): OpenedStore {
  let database: TestDatabase | undefined;
  let store: Store | undefined;
  return {
    open: async () => {
      if (url === "postgres:") database = await testDatabase();
      store = await openStore(database?.url ?? url);
      return store;
    },
    close: async () => {
      await store?.close();
      await database?.drop();
    },
  };
}
