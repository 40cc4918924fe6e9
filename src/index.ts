/** `svckit`: apps, pages, actions, signals and components. Graphs and workers are in `svckit/graph`. */
export type { Timeouts } from "./platform/http/server.ts";
export type { DrainOptions, Drained } from "./app/lifecycle/drain.ts";
export type { ReadyCheck, ReadyChecks } from "./app/lifecycle/readiness.ts";
export { createApp } from "./app/app.ts";
export type { App, Started, StartOptions } from "./app/app-types.ts";
export type { AppOptions, SessionOptions } from "./app/options.ts";
export type { Family as MetricFamily, Sample as MetricSample } from "./app/observability/metrics/exposition.ts";
export { rateLimit, type RateLimitOptions } from "./app/pipeline/rate-limits.ts";
export { accountLimit, type AccountLimit, type AccountLimitOptions } from "./app/pipeline/account-limit.ts";
export { page, type PageDefinition, type PageOptions } from "./app/pages/page.ts";
export { route, type RouteDefinition, type RouteOptions } from "./app/pages/route.ts";
export { group, type Entry, type GroupDefinition, type GroupOptions } from "./app/pages/group.ts";
export type { PageCache } from "./app/pages/cache-rules.ts";
export { invalidate } from "./app/pages/invalidate.ts";
export type { PathParams } from "./app/pages/path.ts";
export {
  action,
  type Action,
  type ActionOptions,
  type StandardSchema,
  type StreamAction,
} from "./app/actions/action.ts";
export { ActionError } from "./app/actions/action-error.ts";
export { navigate, type NavigateOptions } from "./app/pages/navigate.ts";
export { call, type CallOptions } from "./app/actions/call.ts";
export { toast, type ToastOptions } from "./app/pages/toast.ts";
export { currentContext } from "./app/pipeline/current-request.ts";
export { fail, forbidden, notFound, redirect, unauthorized, type RedirectOptions } from "./app/pipeline/outcome.ts";
export { readForm } from "./app/pipeline/csrf-guard.ts";
export { onIdle, onLoad, onMedia, onVisible, type LifecycleCallback } from "./app/pages/browser-lifecycle.ts";

export { html, json, text } from "./platform/http/response/response.ts";
export { withHeaders } from "./platform/http/response/with-headers.ts";
export { eventStream, type EventStreamOptions, type StreamEvent } from "./platform/http/response/event-stream.ts";
export type { FormData as FormValues, FormFile } from "./platform/http/body/memory-form.ts";
export type { FileRule, UploadedFile } from "./platform/http/body/upload.ts";
export type { Session, SessionData } from "./platform/http/sessions/session.ts";
export type { SessionStore } from "./platform/http/sessions/session-keys.ts";
export type {
  Answer,
  Context,
  CookieOptions,
  Handler,
  Locals,
  Middleware,
  Next,
  Result,
} from "./platform/http/types.ts";
export { hashPassword, verifyPassword, type PasswordCheck } from "./platform/security/passwords.ts";
export type { SecurityHeaderOptions } from "./platform/security/headers.ts";

export { batch, computed, signal, untrack, type Computed, type Signal } from "./web/reactivity/signal.ts";
export { onCleanup } from "./web/reactivity/cleanup.ts";
export { store } from "./web/reactivity/server-store.ts";
export { Case, For, Match, Show } from "./web/jsx/control-flow.ts";
export {
  Gesture,
  type GesturePhase,
  type GesturePoint,
  type GestureProps,
  type PanDetail,
  type PinchDetail,
} from "./web/jsx/gesture.ts";
export type { Child } from "./web/jsx/element.ts";
export { createRef, type Ref } from "./web/jsx/ref.ts";
export { Await, type AwaitProps } from "./web/ssr/components/await.ts";
export { resource, type FetchOptions } from "./web/ssr/resume/resource.ts";
export type { Resource } from "./web/reactivity/server-resource.ts";
export { createContext, useContext, type Context as SharedContext } from "./web/ssr/context.ts";
export { effect } from "./web/ssr/resume/effect.ts";
export { Dynamic } from "./web/ssr/components/dynamic.ts";
export { ErrorBoundary, type ErrorBoundaryProps } from "./web/ssr/components/error-boundary.ts";
export { Island, type IslandLoad, type IslandProps } from "./web/ssr/components/island.ts";
export { Portal, type PortalProps } from "./web/ssr/components/portal.ts";
export { Modal, type ModalProps } from "./web/ssr/components/modal.ts";
export { Popup, type PopupPlacement, type PopupProps } from "./web/ssr/components/popup.ts";
export { ThemeSwitch, type ThemeSwitchProps } from "./web/ssr/components/theme-switch.ts";
export type { Theme } from "./platform/shared/themes.ts";
export { Toasts, type ToastsProps } from "./web/ssr/components/toasts.ts";
export { Slot, type SlotProps } from "./web/ssr/components/slot.ts";
export { CsrfField } from "./web/ssr/components/csrf-field.ts";

export {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedInit,
} from "./tools/guarded-fetch.ts";
export { SvcError, type ErrorCode, type Issue } from "./platform/shared/errors.ts";
export type { Json } from "./platform/shared/json.ts";
export type { Log, LogFields, LogLevel } from "./platform/shared/log.ts";
export type { Clock, Duration } from "./platform/shared/clock.ts";
