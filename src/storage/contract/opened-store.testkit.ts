/** Stores for the suites that run on each kind of database. Holds no test of its own. */
import { testDatabase, type TestDatabase } from "../../testing/test-database.ts";
import type { Store } from "./contract.ts";
import { openStore } from "../open-store.ts";

export interface OpenedStore {
  open: () => Promise<Store>;
  close: () => Promise<void>;
}

/** @param url of a store; `postgres:` is one in a database of its own, which goes with it. */
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
