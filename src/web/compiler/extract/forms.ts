/** Rewrites forms of JSX as those that the next steps know. */
import type { ESTree } from "vite";
import { indexImports } from "../analyze/declaration-kinds.ts";
import type { SourceFile } from "../diagnostics.ts";
import type { Edit } from "../edits.ts";
import { resolveScopes } from "../parse/scopes.ts";
import { assignedViewEdits, mayAssignView } from "./assigned-views.ts";
import { awaitedContentEdits, MAY_AWAIT } from "./awaited-content.ts";
import { calledViewEdits, mayCallViews } from "./called-views.ts";
import { controlFlowEdits, MAY_HAVE_FORM } from "./control-flow-forms.ts";
import { defaultViewEdits, mayHaveDefaultView } from "./default-views.ts";
import { earlyReturnEdits, mayReturnEarly } from "./early-return-forms.ts";
import { listedConditionEdits, MAY_LIST } from "./listed-conditions.ts";
import { mayNameView, namedViewEdits } from "./named-views.ts";
import { mayWrapComponent, wrappedComponentEdits } from "./wrapped-components.ts";

/** @returns the change that rewrites the first such form of a source; undefined if it has none. */
export function firstFormEdits(file: SourceFile, program: ESTree.Program): Edit[] | undefined {
  const mayFlow = MAY_HAVE_FORM.test(file.text);
  const mayAwait = MAY_AWAIT.test(file.text);
  const mayAssign = mayAssignView(program);
  const mayDefault = mayHaveDefaultView(program);
  const mayName = mayNameView(program);
  const mayReturn = mayReturnEarly(program);
  const mayCall = mayCallViews(program);
  const mayWrap = mayWrapComponent(program);
  const listed = MAY_LIST.test(file.text) ? listedConditionEdits(file, program) : undefined;
  if (listed) return listed;
  if (!mayFlow && !mayAssign && !mayDefault && !mayName && !mayReturn && !mayWrap && !mayCall && !mayAwait)
    return undefined;
  indexImports(program);
  const scopes = resolveScopes(program);
  return (
    (mayWrap ? wrappedComponentEdits(file, program, scopes) : undefined) ??
    (mayAwait ? awaitedContentEdits(program, scopes) : undefined) ??
    (mayCall ? calledViewEdits(program, scopes) : undefined) ??
    (mayFlow ? controlFlowEdits(file, program, scopes) : undefined) ??
    (mayAssign ? assignedViewEdits(file, program, scopes) : undefined) ??
    (mayDefault ? defaultViewEdits(file, program, scopes) : undefined) ??
    (mayName ? namedViewEdits(file, program, scopes) : undefined) ??
    (mayReturn ? earlyReturnEdits(file, program, scopes) : undefined)
  );
}
