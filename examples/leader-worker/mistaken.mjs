// The same with the mistake: who was elected works through the whole list, whatever happens to the
// leadership meanwhile.

export async function lead({ client, valve, steps, pause }) {
  for (let isDone = false; !isDone;) {
    const leadership = await client
      .election('valve')
      .campaign()
      .catch(() => null);
    if (leadership === null) continue;
    for (const step of steps) {
      valve.turn({ step, token: leadership.token });
      await pause();
    }
    isDone = true;
    await leadership.resign().catch(() => {});
  }
}
