// Node's timers as they were when this was loaded. A test of the program around it may put its own
// in their place: leases and links that stand still with a test's clock are over in truth.

/** Exactly Node's own, under their own names. */
export const {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
} = globalThis;
