// Makes the report of each tick, however many schedulers there are: whoever gets the lock first
// makes it, and writes it into a ledger. The ledger is told the token of the lock, and refuses
// whoever comes too late: a report that a paused scheduler still writes is one too many.

/**
 * `ledger.read()` gives what was written last, or null; `ledger.write({ token, value })` gives
 * 'written', or 'stale' for a token that is too small. `run(tick)` makes a report.
 */
export async function schedule({ client, ledger, run, ticks }) {
  for (let tick = 1; tick <= ticks;) {
    const grant = await client
      .lock('report')
      .acquire()
      .catch(() => null);
    if (grant === null) continue; // cut off for too long: once more
    const last = (await ledger.read()) ?? { tick: 0 };
    if (last.tick < tick) {
      const report = await run(tick);
      if (grant.held()) await ledger.write({ token: grant.token, value: { tick, report } });
    }
    if (last.tick >= tick) tick = last.tick + 1;
    await grant.release().catch(() => {});
  }
}
