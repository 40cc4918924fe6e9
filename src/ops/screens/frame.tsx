/** The frame of every screen: navigation, the current visitor, and the flash message. */
import { CsrfField } from "../../index.ts";
import type { Child } from "../../jsx-runtime.ts";
import { OPS_PATH } from "../operator-access.ts";
import type { OpsContext } from "../ops-context.ts";
import type { OpsFlash } from "../ops-flash.ts";
import { SECTIONS } from "../views/navigation-targets.ts";

/** The URL of the screen's change stream, and the last change that the screen shows. */
export interface ScreenNews {
  src: string;
  at: number;
}

export interface FrameProps {
  opsContext: OpsContext;
  section: string;
  flash: OpsFlash | undefined;
  news: ScreenNews | undefined;
  children?: Child;
}

export function Frame(props: FrameProps) {
  const { opsContext, section, flash, news } = props;
  return (
    <div class="ops" data-density={opsContext.isCompact ? "compact" : undefined}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="bar">
        <a class="brand" href={OPS_PATH}>
          <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
            <path d="M6.8 9L13.2 5.6M6.8 11L13.2 14.4" />
            <circle cx="4.5" cy="10" r="2.5" />
            <circle cx="15.5" cy="4.5" r="2.5" />
            <circle cx="15.5" cy="15.5" r="2.5" />
          </svg>
          <span>svc ops</span>
        </a>
        <nav aria-label="Sections">
          <ul>
            {SECTIONS.map(([name, path, key]) => (
              <li key={name}>
                <a href={OPS_PATH + path} aria-current={name === section ? "page" : undefined} data-key={`g ${key}`}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Who opsContext={opsContext} news={news} />
      </header>
      <main id="main" tabindex={-1}>
        {flash === undefined ? null : <Notice flash={flash} />}
        {props.children}
        <p class="unseen" role="status" id="ops-ear"></p>
      </main>
    </div>
  );
}

function Who({ opsContext: { visitor }, news }: Pick<FrameProps, "opsContext" | "news">) {
  return (
    <div class="who">
      <p>
        <span class="tag">{visitor.role === "operator" ? "operator" : "read only"}</span>
      </p>
      {visitor.name === "developer" ? <p class="quiet">Signed in with the link of svc dev</p> : null}
      {visitor.hasSignedIn ? (
        <form method="post" action={`${OPS_PATH}/sign-out`}>
          <CsrfField />
          <button type="submit" class="link">
            Sign out
          </button>
        </form>
      ) : null}
      <p>
        <a href={`${OPS_PATH}/go`} data-go>
          Go to…
        </a>
      </p>
      <p class="quiet">
        <a href={`${OPS_PATH}/settings#keys`} data-key="?">
          Keys and times
        </a>
      </p>
      <Pill news={news} />
    </div>
  );
}

/** The connection pill. The scripts that refresh the screen write its text. */
function Pill({ news }: Pick<FrameProps, "news">) {
  const pill = <p class="live" id="ops-live" role="status" data-pill="" hidden></p>;
  if (!news) return pill;
  return (
    <svc-live id="ops-news" data-src={news.src} data-topic="changes" data-at={news.at}>
      {pill}
    </svc-live>
  );
}

function Notice({ flash: { tone, text, once } }: { flash: OpsFlash }) {
  return (
    <div class="notice" data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
      <p>{text}</p>
      {once === undefined ? null : (
        <p>
          <code class="secret">{once}</code> Shown only once.
        </p>
      )}
    </div>
  );
}
