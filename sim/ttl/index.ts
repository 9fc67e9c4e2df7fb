// What `holdfast sim ttl` is made of.

export { adviseTtl, HOLDS_MIN, HOLDS_WANTED, p99 } from './advice.ts';
export type { Advice } from './advice.ts';
export { plotTtls } from './plot.ts';
export { studyTtls } from './study.ts';
export type { TtlRow } from './study.ts';
export type { Estimate } from './tally.ts';
