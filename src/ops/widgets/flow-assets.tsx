/** `<FlowAssets>`: what the widgets need in the head of a page. */
import { PATHS } from "../../internal.ts";

export interface FlowAssetsProps {
  /** `ctx.nonce`, for the script: without it the widgets stay as the server wrote them. */
  nonce?: string;
}

/** The stylesheet of the widgets, and the script that keeps them up to date. */
export function FlowAssets({ nonce }: FlowAssetsProps) {
  return (
    <>
      <link rel="stylesheet" href={PATHS.flowCss} />
      {nonce === undefined ? null : <script type="module" async={true} src={PATHS.flow} nonce={nonce} />}
    </>
  );
}
