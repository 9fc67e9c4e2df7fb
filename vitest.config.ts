import { defineConfig } from 'vitest/config';
import TotalsReporter from './test/reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    reporters: ['default', new TotalsReporter()],
  },
});
