/** `svc/fullstack`: the public face of the full-stack variant. Everything else of an app's life is in `svc`. */
export { createFullStackApp, type FullStackOptions } from "./full-stack-app.ts";
export { EventStream, readEvents } from "./flow/event-stream.tsx";
export type { EventLog, EventLogOptions, EventStreamProps } from "./flow/event-stream.tsx";
export { FlowAssets, type FlowAssetsProps } from "./flow/flow-assets.tsx";
export { FlowGraph, type FlowGraphProps } from "./flow/flow-graph.tsx";
export type { GraphOf } from "./flow/graph-of.tsx";
export { readFlow, type Flow, type FlowOptions } from "./flow/flow.ts";
export type { FlowEdge, FlowNode, FlowPart, FlowView } from "./flow/view.ts";
export { OpsDashboard, readOverview } from "./flow/ops-dashboard.tsx";
export type { OpsDashboardProps, Overview, OverviewOptions } from "./flow/ops-dashboard.tsx";
export type { OverviewRun, OverviewView } from "./flow/overview-view.ts";
export { readWorkers, WorkerPanel, type WorkerPanelProps, type Workers } from "./flow/worker-panel.tsx";
export type { WorkerView } from "./flow/worker-view.ts";
export { liveRoutes } from "./live/live-routes.ts";
export { StatusMark, type StatusMarkProps } from "./flow/status-mark.tsx";
export type { FlowStatus } from "./flow/status.ts";
export {
  Field,
  field,
  FieldError,
  UploadProgress,
  type FieldAttributes,
  type FieldProps,
  type FieldsOf,
} from "./field.ts";
export type { FieldName } from "./field-names.ts";
export { Flash, flash, takeFlash, type FlashMessage } from "./flash.ts";
export { Form, type FormProps } from "./form.ts";
export type { FieldKind } from "./form-tree.ts";
export { submit, type AnySubmit, type Submit, type SubmitContext, type SubmitOptions } from "./submit.ts";
export type { Head, OpenGraph } from "./head.ts";
export type { OpsOptions } from "./ops/ops.ts";
export { href, type HrefOptions } from "./href.ts";
export { createI18n, type AnyI18n, type I18n, type I18nOptions, type Translator } from "./i18n/i18n.ts";
export { defineMessages, plural, select, type Messages } from "./i18n/messages.ts";
export type { Message, Template } from "./i18n/format.ts";
export { defer, error } from "./outcome.ts";
export type { ErrorProps, LayoutProps, PageProps, PageSettings } from "./modules.ts";
export type { LlmsLink, LlmsOptions } from "./seo/llms.ts";
export type { RobotsRule } from "./seo/robots.ts";
export type { SeoOptions, SitemapOptions } from "./seo/seo.ts";
export type { SitemapEntry } from "./seo/sitemap.ts";
export type { LoadContext, RouteParams, RoutePath, Routes } from "./params.ts";
