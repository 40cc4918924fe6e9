/** Every run tests the same random inputs, so that a failure is caused by the change. The variable FUZZ_SEED selects others. */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["FUZZ_SEED"] ?? 20261121) });
