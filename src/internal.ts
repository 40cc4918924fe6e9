/**
 * `svckit/internal`: internals that svc's own packages, tests and tools share. Any release may change them without notice. Apps import
 * from the other entry points.
 */
export type { RequestOrigin } from "./platform/http/http.ts";
export type { BootOptions, DevSupport } from "./app/options.ts";
export type { Config, Environment } from "./app/lifecycle/config.ts";
export type { ExportedFile, ExportStep, LeftOut } from "./app/pages/static-export.ts";
export { isRedirect } from "./app/pipeline/outcome.ts";
export { noteCaught } from "./app/pipeline/caught-error.ts";
export { MAX_FILE_BYTES } from "./platform/http/body/upload.ts";
export { FORM_TEXTS, sizeText } from "./platform/shared/form-texts.ts";
export { submitted, type SubmitBody, type SubmitDefinition, type Submitted } from "./app/forms/submit.ts";
export { useApp, useRequest } from "./app/pages/use-app.ts";
export { didYouMean } from "./platform/shared/did-you-mean.ts";
export { requireFinite } from "./platform/shared/json.ts";
export type { Log } from "./platform/shared/log.ts";
export { fieldsOf, storedFields, valueOf, type SignalField } from "./graphs/definition/signal-fields.ts";
export { attributeText, parseAttributeFilter } from "./graphs/definition/attribute-text.ts";
export { isUnreadable, looksUnreadable } from "./storage/contract/shown-reason.ts";
export { parseWith } from "./platform/shared/schema.ts";
export { traceparent, type Trace } from "./platform/shared/trace.ts";
export { BASE_PATH, COOKIES, DOM, FORM_FIELDS, PATHS, VARIABLES } from "./platform/shared/wire.ts";
