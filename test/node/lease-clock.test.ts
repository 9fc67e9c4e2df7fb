import { expect, test } from 'vitest';
import { LeaseClock } from '../../src/node/lease-clock.ts';

const STALL_US = 250_000;

test('R-80 lease time follows the clock while the loop runs', () => {
  const clock = new LeaseClock(1_000_000, STALL_US);
  expect(clock.tick(1_050_000)).toBe(false);
  expect(clock.tick(1_100_000)).toBe(false);
  expect(clock.ticked).toBe(100_000);
  expect(clock.at(1_130_000)).toBe(130_000);
});

test('R-80 a loop that stood still ages no lease by more than half an election timeout', () => {
  const clock = new LeaseClock(0, STALL_US);
  clock.tick(50_000);
  expect(clock.at(60_000_000)).toBe(50_000 + STALL_US);
  expect(clock.tick(60_000_000)).toBe(true);
  expect(clock.ticked).toBe(50_000 + STALL_US);
  expect(clock.tick(60_050_000)).toBe(false);
  expect(clock.ticked).toBe(100_000 + STALL_US);
});

test('INV-17 lease time never runs backwards when an older reading comes', () => {
  const clock = new LeaseClock(0, STALL_US);
  clock.tick(100_000);
  expect(clock.at(90_000)).toBe(100_000);
});
