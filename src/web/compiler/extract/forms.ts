/** Rewrites forms of JSX as those that the next steps know. */
import type { ESTree } from "vite";
import { indexImports } from "../analyze/declaration-kinds.ts";
import type { SourceFile } from "../diagnostics.ts";
import type { Edit } from "../edits.ts";
import { resolveScopes, type Scopes } from "../parse/scopes.ts";
import { assignedViewEdits, mayAssignView } from "./assigned-views.ts";
import { awaitedContentEdits, MAY_AWAIT } from "./awaited-content.ts";
import { calledViewEdits, mayCallViews } from "./called-views.ts";
import { controlFlowEdits, MAY_HAVE_FORM } from "./control-flow-forms.ts";
import { defaultViewEdits, mayHaveDefaultView } from "./default-views.ts";
import { earlyReturnEdits, mayReturnEarly } from "./early-return-forms.ts";
import { innerComponentEdits, MAY_BE_INNER } from "./inner-components.ts";
import { inlineHookEdits, MAY_CALL_HOOK } from "./inline-hooks.ts";
import { letRefEdits, MAY_SHARE_LET } from "./let-refs.ts";
import { listedConditionEdits, MAY_LIST } from "./listed-conditions.ts";
import { mayNameView, namedViewEdits } from "./named-views.ts";
import { mayWrapComponent, wrappedComponentEdits } from "./wrapped-components.ts";

interface Form {
  /** Whether a module may have it. Most have none, and their names are not resolved twice. */
  may(file: SourceFile, program: ESTree.Program): boolean;
  edits(file: SourceFile, program: ESTree.Program, scopes: Scopes): Edit[] | undefined;
}

/** In this order, because some forms make others. */
const FORMS: readonly Form[] = [
  { may: (_file, program) => mayWrapComponent(program), edits: wrappedComponentEdits },
  { may: ({ text }) => MAY_AWAIT.test(text), edits: (_file, program, scopes) => awaitedContentEdits(program, scopes) },
  { may: ({ text }) => MAY_BE_INNER.test(text), edits: innerComponentEdits },
  { may: ({ text }) => MAY_CALL_HOOK.test(text), edits: inlineHookEdits },
  {
    may: (_file, program) => mayCallViews(program),
    edits: (_file, program, scopes) => calledViewEdits(program, scopes),
  },
  { may: ({ text }) => MAY_HAVE_FORM.test(text), edits: controlFlowEdits },
  { may: (_file, program) => mayAssignView(program), edits: assignedViewEdits },
  { may: ({ text }) => MAY_SHARE_LET.test(text), edits: letRefEdits },
  { may: (_file, program) => mayHaveDefaultView(program), edits: defaultViewEdits },
  { may: (_file, program) => mayNameView(program), edits: namedViewEdits },
  { may: (_file, program) => mayReturnEarly(program), edits: earlyReturnEdits },
];

/** @returns the change that rewrites the first such form of a source; undefined if it has none. */
export function firstFormEdits(file: SourceFile, program: ESTree.Program): Edit[] | undefined {
  const listed = MAY_LIST.test(file.text) ? listedConditionEdits(file, program) : undefined;
  if (listed) return listed;
  const forms = FORMS.filter((form) => form.may(file, program));
  if (forms.length === 0) return undefined;
  indexImports(program);
  const scopes = resolveScopes(program);
  for (const form of forms) {
    const found = form.edits(file, program, scopes);
    if (found) return found;
  }
  return undefined;
}
