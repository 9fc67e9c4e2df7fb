// The same with the mistake: it looks whether it still holds the lock, and then tells the ledger,
// which takes whatever it is told.

export async function schedule({ client, ledger, run, ticks }) {
  for (let tick = 1; tick <= ticks;) {
    const grant = await client
      .lock('report')
      .acquire()
      .catch(() => null);
    if (grant === null) continue;
    const last = (await ledger.read()) ?? { tick: 0 };
    if (last.tick < tick) {
      const report = await run(tick);
      if (grant.held()) await ledger.write({ tick, report });
    }
    if (last.tick >= tick) tick = last.tick + 1;
    await grant.release().catch(() => {});
  }
}
