/**
 * The common part of all screens: access control, frame, flash message, live updates, and the replacement page if a screen cannot be shown.
 */
import { page, SvcError, type Context, type PageDefinition } from "../index.ts";
import { PATHS } from "../internal.ts";
import type { Child } from "../jsx-runtime.ts";
import { type Access, type Denial } from "./operator-access.ts";
import { DENSITY_COOKIE, ZONE_COOKIE, zoneOf, type OpsContext, type Screens } from "./ops-context.ts";
import { Closed, SignIn } from "./screens/sign-in.tsx";
import { isStill, RenewalMeta, RenewalNote } from "./screens/refresh-without-script.tsx";
import { changeLogOf, type Subject } from "./live/change-log.ts";
import { liveSrc } from "./live/live-access.ts";
import { Frame, type ScreenNews } from "./screens/frame.tsx";
import { Refused } from "./screens/parts.tsx";
import { takeOpsFlash, type OpsFlash } from "./ops-flash.ts";

export interface ScreenOptions<Data> {
  /** The page title. */
  title: string | ((data: Data) => string);
  /** The active navigation entry. */
  section: string;
  /** Additional head elements, for screens with widgets. */
  head?: (nonce: string, data: Data | undefined) => Child;
  load: (opsContext: OpsContext) => Promise<Data>;
  /** The subjects whose changes refresh the screen. Default: none. */
  follows?: (data: Data) => readonly Subject[];
  /** Whether the content is still changing. If so, the page also reloads itself without script. Default: never. */
  isActive?: (data: Data) => boolean;
  view: (data: Data, opsContext: OpsContext) => Child;
}

type Loaded<Data> =
  | { kind: "shown"; data: Data; opsContext: OpsContext; flash: OpsFlash | undefined; news: ScreenNews | undefined }
  | { kind: "refused"; error: SvcError; opsContext: OpsContext; flash: OpsFlash | undefined }
  | { kind: "denied"; denial: Denial; flash: OpsFlash | undefined };

const STATUS: Readonly<Record<Denial, number>> = { "sign-in": 401, link: 401, closed: 404, forbidden: 403 };

/** @param path below the path of the screens: `/runs/:id` */
export function screen<Data>(screens: Screens, path: string, options: ScreenOptions<Data>): PageDefinition {
  const { title, section, view } = options;
  const isActive = (loaded: Loaded<Data>): boolean =>
    loaded.kind === "shown" && options.isActive?.(loaded.data) === true;
  const titleOf = (loaded: Loaded<Data>): string => {
    if (loaded.kind === "denied") return "Sign in";
    if (loaded.kind === "refused") return "Not available";
    return typeof title === "string" ? title : title(loaded.data);
  };
  return page<Loaded<Data>>(path, {
    load: async (ctx) => loadScreen(screens, ctx, options),
    title: (loaded) => `${titleOf(loaded)} · svc ops`,
    status: (loaded) => {
      if (loaded.kind === "shown") return 200;
      return loaded.kind === "denied" ? STATUS[loaded.denial] : loaded.error.status;
    },
    head: (loaded, ctx) => (
      <>
        {options.head?.(ctx.nonce, loaded.kind === "shown" ? loaded.data : undefined)}
        <Head nonce={ctx.nonce} isFollowed={loaded.kind === "shown" && loaded.news !== undefined} />
        {isActive(loaded) && !isStill({ ctx }) ? <RenewalMeta /> : null}
      </>
    ),
    view: (loaded, ctx) => {
      if (loaded.kind === "denied")
        return loaded.denial === "sign-in" ? (
          <SignIn flash={loaded.flash} back={hereOf(ctx)} />
        ) : (
          <Closed denial={loaded.denial} flash={loaded.flash} />
        );
      const { opsContext, flash } = loaded;
      return (
        <Frame
          opsContext={opsContext}
          section={section}
          flash={flash}
          news={loaded.kind === "shown" ? loaded.news : undefined}
        >
          {isActive(loaded) ? <RenewalNote opsContext={opsContext} /> : null}
          {loaded.kind === "shown" ? (
            view(loaded.data, opsContext)
          ) : (
            <Refused error={loaded.error} opsContext={opsContext} />
          )}
        </Frame>
      );
    },
  });
}

async function loadScreen<Data>(
  { app, gate, redact }: Screens,
  ctx: Context,
  { load, follows }: ScreenOptions<Data>,
): Promise<Loaded<Data>> {
  const access: Access = await gate.access(ctx);
  const flash = takeOpsFlash(ctx, app());
  if ("denial" in access) return { kind: "denied", denial: access.denial, flash };
  const nowMs = app().operations.nowMs();
  const isCompact = ctx.cookies[DENSITY_COOKIE] === "compact";
  const opsContext = {
    isCompact,
    zone: zoneOf(ctx.cookies[ZONE_COOKIE]),
    app: app(),
    ctx,
    visitor: access.visitor,
    nowMs,
    origin: ctx.url.origin,
    here: hereOf(ctx),
    redact,
  };
  try {
    // Read before loading, so that changes during the load are reported as new.
    const { at } = changeLogOf(opsContext.app);
    const data = await load(opsContext);
    return { kind: "shown", data, opsContext, flash, news: newsOf(opsContext, follows?.(data) ?? [], at) };
  } catch (error) {
    if (error instanceof SvcError && error.status < 500) return { kind: "refused", error, opsContext, flash };
    throw error;
  }
}

function newsOf({ app, ctx }: OpsContext, of: readonly Subject[], at: number): ScreenNews | undefined {
  return of.length === 0 ? undefined : { src: liveSrc(app, ctx, { topic: "changes", of: [...of] }), at };
}

function hereOf(ctx: Context): string {
  return ctx.path + (ctx.queryText === "" ? "" : `?${ctx.queryText}`);
}

function Head({ nonce, isFollowed }: { nonce: string; isFollowed: boolean }) {
  return (
    <>
      <meta name="robots" content="noindex" />
      <meta name="color-scheme" content="light dark" />
      <link rel="icon" type="image/svg+xml" href={PATHS.opsIcon} />
      <link rel="stylesheet" href={PATHS.opsCss} />
      <script type="module" src={PATHS.ops} nonce={nonce} async></script>
      {isFollowed ? <script type="module" src={PATHS.flowLive} nonce={nonce} async></script> : null}
    </>
  );
}
