/** Named views of the runs list: links, delete buttons, and a form that saves the active filters. */
import { readForm, redirect, route, type Handler, type RouteDefinition } from "../../../index.ts";
import { backOf, OPS_PATH, RUNS_PATH } from "../../operator-access.ts";
import type { OpsContext, Screens } from "../../ops-context.ts";
import { OPS_FORM_BYTES } from "../../operator-route.ts";
import { setOpsFlash } from "../../ops-flash.ts";
import {
  MAX_VIEW_NAME,
  readViews,
  VIEWS_COOKIE,
  viewsText,
  withoutView,
  withView,
} from "../../views/runs/saved-views.ts";
import { StepForm } from "../parts.tsx";

const YEAR_SECONDS = 365 * 86_400;

/** Views belong to the visitor, like the time zone, so readers may save some too. */
export function savedViewsRoute({ app, gate }: Screens): RouteDefinition {
  const save: Handler = async (ctx) => {
    const access = await gate.access(ctx);
    if ("denial" in access) return redirect(OPS_PATH);
    const { fields } = await readForm(ctx, OPS_FORM_BYTES);
    const { drop, name = "", query = "" } = fields;
    const views = readViews(ctx.cookies[VIEWS_COOKIE]);
    const next = drop === undefined ? withView(views, name, query) : withoutView(views, drop);
    if (typeof next === "string") setOpsFlash(ctx, app(), { tone: "bad", text: next });
    else if (next.length === 0) ctx.deleteCookie(VIEWS_COOKIE, { path: OPS_PATH });
    else ctx.setCookie(VIEWS_COOKIE, viewsText(next), { path: OPS_PATH, maxAgeSeconds: YEAR_SECONDS });
    return redirect(backOf(fields["back"]));
  };
  return route("POST", "/runs/views", save, { maxBytes: OPS_FORM_BYTES });
}

/** @param query the active filters as a query string; empty without filters */
export function SavedViews({ opsContext, query }: { opsContext: OpsContext; query: string }) {
  const views = readViews(opsContext.ctx.cookies[VIEWS_COOKIE]);
  return (
    <>
      {views.length === 0 ? null : (
        <ul class="chips saved" aria-label="Saved views">
          {views.map((view) => (
            <li key={view.name}>
              <a
                class="chip"
                href={`${RUNS_PATH}?${view.query}`}
                aria-current={view.query === query ? "page" : undefined}
              >
                {view.name}
              </a>
              <StepForm opsContext={opsContext} action="/runs/views" fields={{ drop: view.name }}>
                <button type="submit" class="chip" aria-label={`Delete the view ${view.name}`}>
                  ×
                </button>
              </StepForm>
            </li>
          ))}
        </ul>
      )}
      {query === "" || views.some((view) => view.query === query) ? null : (
        <details class="commands">
          <summary>Save this view</summary>
          <StepForm opsContext={opsContext} action="/runs/views" class="steps" fields={{ query }}>
            <label>
              Name
              <input name="name" required maxlength={MAX_VIEW_NAME} autocomplete="off" />
            </label>
            <button type="submit" class="button">
              Save
            </button>
          </StepForm>
        </details>
      )}
    </>
  );
}
