/** Prints the path of the system's Chromium, or nothing if there is none, for `.ci/run`. */
import { SvcError } from "svckit";
import { findChromium } from "svckit/testing";

process.env["SVC_CHROMIUM"] = "system";
try {
  console.log((await findChromium()).executablePath);
} catch (error) {
  if (!(error instanceof SvcError && error.code === "SVC_CONFIG")) throw error;
}
