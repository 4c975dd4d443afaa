import { defineConfig } from 'vitest/config';

// Inline projects share nothing with the root unless they say so; isolation and parallelism stay at vitest's defaults.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'house',
          include: ['test/house/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'unit',
          include: ['test/{contract,controller,dataplane,cli}/**/*.test.ts'],
          testTimeout: 15_000,
        },
      },
      {
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'image',
          include: ['test/image/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/{cluster,helm}/**/*.test.ts'],
          globalSetup: ['test/cluster/start-cluster.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          // not part of `make test`: test/node/run.ts says what it needs
          name: 'node',
          include: ['test/node/**/*.test.ts'],
          globalSetup: ['test/node/start-node.ts'],
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
