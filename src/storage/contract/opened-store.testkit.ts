/** Stores for suites that run on each kind of database. */
import { testDatabase, type TestDatabase } from "../../testing/test-database.ts";
import type { BucketConfig } from "../bucket/bucket-url.ts";
import { fakeS3, type FakeS3 } from "../bucket/fake-s3.testkit.ts";
import type { Store } from "./contract.ts";
import { openStore } from "../open-store.ts";

export interface OpenedStore {
  open: () => Promise<Store>;
  close: () => Promise<void>;
}

/** In front of a URL: the store encrypts payloads. */
export const ENCRYPTED = "encrypted ";
/** In front of that: all parts of artifacts, and all values of runs that are not tiny, are objects in a bucket. */
const BUCKET = "bucket ";
export const TEST_KEY = { id: "test", secret: "0123456789abcdef0123456789abcdef" };

/**
 * @param given URL of a store; `postgres:` creates a database, which is deleted with the store.
 * @param bucket for large payloads, in place of one of its own
 */
export function openedStore(given: string, bucket?: BucketConfig): OpenedStore {
  const hasBucket = given.startsWith(BUCKET);
  const named = hasBucket ? given.slice(BUCKET.length) : given;
  const isEncrypted = named.startsWith(ENCRYPTED);
  const url = isEncrypted ? named.slice(ENCRYPTED.length) : named;
  const payloadKeys = isEncrypted ? [TEST_KEY] : [];
  let database: TestDatabase | undefined;
  let s3: FakeS3 | undefined;
  let store: Store | undefined;
  return {
    open: async () => {
      if (url === "postgres:") database = await testDatabase();
      if (hasBucket) s3 = await fakeS3();
      store = await openStore(database?.url ?? url, {
        payloadKeys,
        bucket: s3?.config({ above: 0, values: 16 }) ?? bucket,
      });
      return store;
    },
    close: async () => {
      await store?.close();
      await s3?.close();
      await database?.drop();
    },
  };
}
