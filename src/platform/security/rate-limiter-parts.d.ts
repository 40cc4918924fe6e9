/** Two files of `rate-limiter-flexible` by themselves: its index loads a limiter for every database there is, a quarter of a start. */
declare module "rate-limiter-flexible/lib/RateLimiterStoreAbstract.js" {
  export { RateLimiterStoreAbstract as default } from "rate-limiter-flexible";
}

declare module "rate-limiter-flexible/lib/RateLimiterRes.js" {
  export { RateLimiterRes as default } from "rate-limiter-flexible";
}
