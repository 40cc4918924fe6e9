/** `svckit/testing`: helpers for tests of apps and of webhook receivers. */
export { createTestClient, type FormFields, type TestClient, type TestClientOptions } from "./testing/client.ts";
export { createReceiver, type Received, type Receiver, type ReceiverOptions, type Reply } from "./testing/receiver.ts";
export { recordLog, type LogEntry, type RecordedLog } from "./testing/log.ts";
export { sendRaw } from "./testing/send-raw.ts";
export { findChromium } from "./testing/chromium.ts";
export { SimulatedClock } from "./platform/shared/clock.ts";
export {
  startPostgres,
  testDatabase,
  withoutPostgres,
  type PostgresServer,
  type TestDatabase,
} from "./testing/test-database.ts";
