/** `svc/fullstack`: the public face of the full-stack variant. Everything else of an app's life is in `svc`. */
export { createFullStackApp, type FullStackOptions } from "./full-stack-app.ts";
export { StatusMark, type StatusMarkProps } from "./flow/status-mark.tsx";
export type { FlowStatus } from "./flow/status.ts";
export type { Head, OpenGraph } from "./head.ts";
export type { OpsOptions } from "./ops/ops.ts";
export { href, type HrefOptions } from "./href.ts";
export type { ErrorProps, LayoutProps, PageProps, PageSettings } from "./modules.ts";
export type { LlmsLink, LlmsOptions } from "./seo/llms.ts";
export type { RobotsRule } from "./seo/robots.ts";
export type { SeoOptions, SitemapOptions } from "./seo/seo.ts";
export type { SitemapEntry } from "./seo/sitemap.ts";
export type { LoadContext, RouteParams, RoutePath, Routes } from "./params.ts";
