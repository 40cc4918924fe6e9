/** Stores for suites that run on each kind of database. */
import { testDatabase, type TestDatabase } from "../../testing/test-database.ts";
import type { Store } from "./contract.ts";
import { openStore } from "../open-store.ts";

export interface OpenedStore {
  open: () => Promise<Store>;
  close: () => Promise<void>;
}

/** In front of a URL: the store encrypts payloads. */
export const ENCRYPTED = "encrypted ";
export const TEST_KEY = { id: "test", secret: "0123456789abcdef0123456789abcdef" };

/** @param given URL of a store; `postgres:` creates a database, which is deleted with the store. */
export function openedStore(given: string): OpenedStore {
  const isEncrypted = given.startsWith(ENCRYPTED);
  const url = isEncrypted ? given.slice(ENCRYPTED.length) : given;
  const payloadKeys = isEncrypted ? [TEST_KEY] : [];
  let database: TestDatabase | undefined;
  let store: Store | undefined;
  return {
    open: async () => {
      if (url === "postgres:") database = await testDatabase();
      store = await openStore(database?.url ?? url, { payloadKeys });
      return store;
    },
    close: async () => {
      await store?.close();
      await database?.drop();
    },
  };
}
