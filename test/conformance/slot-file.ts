// What every SlotFile must do; run for real files and for the simulated disk.

import { describe, expect, test } from 'vitest';
import type { SlotFile, Stored } from '../../src/ports/storage.ts';

/** One place where a slot may be. */
export interface SlotMedium {
  handle(): SlotFile;
  /** Makes the call and waits for its answer; fails when the answer comes inside the call. */
  ask<T>(start: (done: (answer: T) => void) => void): Promise<T>;
  dispose(): void;
}

/** Defines the suite for slots on media of this kind. */
export function slotFileSuite(name: string, createMedium: () => SlotMedium): void {
  const on = (work: (medium: SlotMedium) => Promise<void>) => async (): Promise<void> => {
    const medium = createMedium();
    try {
      await work(medium);
    } finally {
      medium.dispose();
    }
  };

  describe(`${name} as a slot`, () => {
    test(
      'is null before the first write',
      on(async (medium) => {
        expect(await read(medium, medium.handle())).toBeNull();
      }),
    );

    test(
      'is replaced as a whole, by less too',
      on(async (medium) => {
        const slot = medium.handle();
        for (const content of [[1, 2, 3, 4], [5], [], [6, 7]]) {
          await write(medium, slot, content);
          expect(await read(medium, slot)).toEqual(content);
        }
      }),
    );

    test(
      'shows every handle what another wrote',
      on(async (medium) => {
        await write(medium, medium.handle(), [1, 2]);
        expect(await read(medium, medium.handle())).toEqual([1, 2]);
      }),
    );

    test(
      'keeps what it was given at the time of the call',
      on(async (medium) => {
        const slot = medium.handle();
        const content = Uint8Array.of(1, 2, 3);
        const result = await medium.ask<Stored<void>>((done) => slot.write(content, done));
        content[0] = 9;
        expect(result.ok).toBe(true);
        expect(await read(medium, slot)).toEqual([1, 2, 3]);
      }),
    );
  });
}

async function write(medium: SlotMedium, slot: SlotFile, content: number[]): Promise<void> {
  const bytes = Uint8Array.from(content);
  const result = await medium.ask<Stored<void>>((done) => slot.write(bytes, done));
  expect(result).toEqual({ ok: true, value: undefined });
}

async function read(medium: SlotMedium, slot: SlotFile): Promise<number[] | null> {
  const result = await medium.ask<Stored<Uint8Array | null>>((done) => slot.read(done));
  if (!result.ok) throw new Error(result.failure.message);
  return result.value === null ? null : [...result.value];
}
