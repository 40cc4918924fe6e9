/** Headers of what workers gave, whatever it is: whoever opens it by itself gets no document of ours, nothing in it runs, and nobody embeds it elsewhere. */
export const UNTRUSTED_HEADERS = [
  ["x-content-type-options", "nosniff"],
  ["content-security-policy", "default-src 'none'; sandbox"],
  ["cross-origin-resource-policy", "same-origin"],
  ["cache-control", "private, no-store"],
].flat();
