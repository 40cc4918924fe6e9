/**
 * What the browser makes of a page is what the server would have sent for that state: after every event the page is held
 * against a fresh one, rendered without script from the same state (test/fixtures/compiler).
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { CatalogueState } from "../fixtures/compiler/catalogue.tsx";
import { launchBrowser, openTab } from "./browser.ts";
