/** `svckit/fullstack`: the public API of the full-stack variant. `svckit` exports everything else. */
export { createFullStackApp, type FullStackOptions } from "./full-stack-app.ts";
export { EventStream, readEvents } from "../ops/widgets/event-stream.tsx";
export type { EventLog, EventLogOptions, EventStreamProps } from "../ops/widgets/event-stream.tsx";
export { FlowAssets, type FlowAssetsProps } from "../ops/widgets/flow-assets.tsx";
export { FlowGraph, type FlowGraphProps } from "../ops/widgets/flow-graph.tsx";
export type { GraphOf } from "../ops/widgets/graph-access.tsx";
export { readFlow, type Flow, type FlowOptions } from "../ops/widgets/load-widgets.ts";
export type { FlowEdge, FlowNode, FlowPart, FlowView } from "../ops/widgets/graph-view.ts";
export { OpsDashboard, readOverview } from "../ops/widgets/ops-dashboard.tsx";
export type { OpsDashboardProps, Overview, OverviewOptions } from "../ops/widgets/ops-dashboard.tsx";
export type { OverviewRun, OverviewView } from "../ops/widgets/overview-view.ts";
export { readWorkers, WorkerPanel, type WorkerPanelProps, type Workers } from "../ops/widgets/worker-panel.tsx";
export type { WorkerView } from "../ops/widgets/worker-view.ts";
export { liveRoutes } from "../ops/live/live-routes.ts";
export { StatusMark, type StatusMarkProps } from "../ops/widgets/status-mark.tsx";
export type { FlowStatus } from "../ops/widgets/status.ts";
export {
  Field,
  field,
  FieldError,
  UploadProgress,
  type FieldAttributes,
  type FieldProps,
  type FieldsOf,
} from "./forms/field.ts";
export type { FieldName } from "./forms/field-names.ts";
export { Flash, flash, takeFlash, type FlashMessage } from "./forms/flash.ts";
export { Form, type FormProps } from "./forms/form.ts";
export type { FormMessages } from "./forms/form-messages.ts";
export { SignalForm, type SignalFormProps } from "./forms/signal-form.ts";
export {
  signalSubmit,
  type SignalFormInput,
  type SignalSubmit,
  type SignalSubmitOptions,
} from "./forms/signal-submit.ts";
export type { FieldKind } from "./forms/form-tree.ts";
export { submit, type AnySubmit, type Submit, type SubmitContext, type SubmitOptions } from "./forms/submit.ts";
export { layoutData, useLayoutData } from "./layouts/layout-data.ts";
export type { Head, OpenGraph } from "./layouts/head.ts";
export type { OpsOptions } from "../ops/ops.ts";
export { href, type HrefOptions } from "./files/href.ts";
export { createI18n, type AnyI18n, type I18n, type I18nOptions, type Translator } from "./i18n/i18n.ts";
export { defineMessages, plural, select, type Messages } from "./i18n/messages.ts";
export type { Message, Template } from "./i18n/format.ts";
export { defer, error } from "./outcome.ts";
export type { ErrorProps, LayoutProps, PageProps, PageSettings } from "./modules.ts";
export type { LlmsLink, LlmsOptions } from "./seo/llms.ts";
export type { RobotsRule } from "./seo/robots.ts";
export type { SeoOptions, SitemapOptions } from "./seo/seo.ts";
export type { SitemapEntry } from "./seo/sitemap.ts";
export type { LoadContext, RouteParams, RoutePath, Routes } from "./files/params.ts";
