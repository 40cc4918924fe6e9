/** `svc`: the public face of the base app. Everything else of a page's life is in `svc/jsx-runtime` and `svc/graph`. */
export type { RequestOrigin } from "./http/http.ts";
export type { Timeouts } from "./http/server.ts";
export type { DrainOptions, Drained } from "./app/drain.ts";
export type { ReadyCheck, ReadyChecks } from "./app/readiness.ts";
export { createApp } from "./app/app.ts";
export type { App, Started, StartOptions } from "./app/app-face.ts";
export type { AppOptions, DevSupport, SessionOptions, Surroundings } from "./app/options.ts";
export type { Family as MetricFamily, Sample as MetricSample } from "./app/metrics/exposition.ts";
export type { Change } from "./app/changes.ts";
export type { Doing, HeldBack } from "./app/held.ts";
export type { FleetQueue, Operations, RequestView, Status } from "./app/operations-types.ts";
export type { ProcessView } from "./cluster/membership.ts";
export type { RefusedCaller } from "./app/metrics/refused-callers.ts";
export type { Activity, ActivityRange, HourMinute, Recent, RecentHour, RecentMinute } from "./app/metrics/recent.ts";
export type { Setting } from "./app/settings.ts";
export type { AuditQuery, AuditRow } from "./store/control.ts";
export type { Page } from "./store/queries.ts";
export type { Config, Environment } from "./app/config.ts";
export { rateLimit, type RateLimitOptions } from "./app/limits.ts";
export { page, type PageDefinition, type PageOptions } from "./app/page.ts";
export { route, type RouteDefinition, type RouteOptions } from "./app/route.ts";
export { group, type Entry, type GroupDefinition, type GroupOptions } from "./app/group.ts";
export type { ExportedFile, ExportStep, LeftOut } from "./app/static-export.ts";
export type { PageCache } from "./app/cache-rules.ts";
export { invalidate } from "./app/invalidate.ts";
export type { PathParams } from "./app/path.ts";
export { action, type Action, type ActionOptions, type StandardSchema, type StreamAction } from "./app/action.ts";
export { ActionError } from "./app/action-error.ts";
export { navigate, type NavigateOptions } from "./app/navigate.ts";
export { call, type CallOptions } from "./app/call.ts";
export { toast, type ToastOptions } from "./app/toast.ts";
export { currentContext } from "./app/current.ts";
export { fail, forbidden, isRedirect, notFound, redirect, unauthorized } from "./app/outcome.ts";
export { readForm } from "./app/guard.ts";
export { submitted, type SubmitBody, type SubmitDefinition, type Submitted } from "./app/submit.ts";
export { onIdle, onLoad, onMedia, onVisible, type LifecycleCallback } from "./app/lifecycle.ts";

export { html, json, text } from "./http/response.ts";
export { withHeaders } from "./http/with-headers.ts";
export { eventStream, type EventStreamOptions, type StreamEvent } from "./http/event-stream.ts";
export type { FormData as FormValues, FormFile } from "./http/form.ts";
export type { FileRule, UploadedFile } from "./http/upload.ts";
export type { Session, SessionData } from "./http/session.ts";
export type { SessionStore } from "./http/sessions.ts";
export type { Answer, Context, CookieOptions, Handler, Locals, Middleware, Next, Result } from "./http/types.ts";
export type { SecurityHeaderOptions } from "./security/headers.ts";

export { batch, computed, signal, untrack, type Computed, type Signal } from "./reactivity/signal.ts";
export { onCleanup } from "./reactivity/cleanup.ts";
export { store } from "./reactivity/server-store.ts";
export { Case, For, Match, Show } from "./jsx/control-flow.ts";
export {
  Gesture,
  type GesturePhase,
  type GesturePoint,
  type GestureProps,
  type PanDetail,
  type PinchDetail,
} from "./jsx/gesture.ts";
export { createRef, type Ref } from "./jsx/ref.ts";
export { Await, type AwaitProps } from "./ssr/await.ts";
export { resource, type FetchOptions } from "./ssr/resource.ts";
export type { Resource } from "./reactivity/server-resource.ts";
export { useApp, useRequest } from "./app/use-app.ts";
export { createContext, useContext, type Context as SharedContext } from "./ssr/context.ts";
export { effect } from "./ssr/effect.ts";
export { Dynamic } from "./ssr/dynamic.ts";
export { ErrorBoundary, type ErrorBoundaryProps } from "./ssr/error-boundary.ts";
export { Island, type IslandLoad, type IslandProps } from "./ssr/island.ts";
export { Portal, type PortalProps } from "./ssr/portals.ts";
export { Modal, type ModalProps } from "./ssr/modal.ts";
export { Popup, type PopupPlacement, type PopupProps } from "./ssr/popup.ts";
export { ThemeSwitch, type ThemeSwitchProps } from "./ssr/theme-switch.ts";
export type { Theme } from "./shared/themes.ts";
export { Toasts, type ToastsProps } from "./ssr/toasts.ts";
export { Slot, type SlotProps } from "./ssr/slot.ts";
export { CsrfField } from "./ssr/csrf-field.ts";

export {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedInit,
} from "./tools/guarded-fetch.ts";
export { graph, worker } from "./graph/definition/definition.ts";
export { SvcError, type ErrorCode, type Issue } from "./shared/errors.ts";
export { parseWith } from "./shared/schema.ts";
export type { Json } from "./shared/json.ts";
export { traceparent, type Trace } from "./shared/trace.ts";
export type { Log, LogFields, LogLevel } from "./shared/log.ts";
export { BASE_PATH, COOKIES, DOM, FORM_FIELDS, PATHS, VARIABLES } from "./shared/wire.ts";
export { systemClock, type Clock, type Duration } from "./shared/clock.ts";
