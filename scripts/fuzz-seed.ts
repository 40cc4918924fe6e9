/** The same properties are tried in every run, so that a red run is about the change; the variable FUZZ_SEED has others tried. */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["FUZZ_SEED"] ?? 20261121) });
