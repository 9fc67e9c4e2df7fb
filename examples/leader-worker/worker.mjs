// Turns a valve step by step. Only who leads may touch it, and the valve cannot be taught to refuse
// anybody: so whoever leads asks before each step whether it still does, and lets go at once when
// its signal says that it will not for much longer.
//
// Between the look and the turn lies one instruction. In the simulator nothing comes between; a
// real process can be stopped even there, so that what remains is one late turn in very many. What
// must never happen needs a valve that compares the token: a guard, docs/fencing.md.

/** `pause(signal)` waits between two steps, and no longer than until the signal aborts. */
export async function lead({ client, valve, steps, pause }) {
  for (let isDone = false; !isDone;) {
    const leadership = await client
      .election('valve')
      .campaign()
      .catch(() => null);
    if (leadership === null) continue; // cut off for too long: once more
    let done = 0;
    while (done < steps.length && leadership.held()) {
      valve.turn({ step: steps[done], token: leadership.token });
      done += 1;
      await pause(leadership.signal);
    }
    isDone = done === steps.length;
    await leadership.resign().catch(() => {});
  }
}
