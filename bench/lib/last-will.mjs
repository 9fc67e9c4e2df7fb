// What must not be left behind when the harness is told to stop in the middle of a run.

const SIGNALS = { SIGINT: 130, SIGTERM: 143 };

/** From now on SIGINT and SIGTERM end the process by way of `exit`: wills are carried out. */
export function exitOnSignals() {
  for (const [signal, code] of Object.entries(SIGNALS))
    process.once(signal, () => process.exit(code));
}

/** Runs `body`; if the process exits meanwhile, `will` is run first, and the newest will first. */
export async function withWill(will, body) {
  process.prependListener('exit', will);
  try {
    return await body();
  } finally {
    process.off('exit', will);
  }
}
