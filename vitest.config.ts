import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Inline projects share nothing with the root unless they say so. Each file has a process of its own, except in unit-shared.
// Time-outs end tests that hang. They are far longer than any test takes, so that a busy machine fails none.
const patient = {
  setupFiles: ['test/support/patience.ts'],
  expect: { poll: { timeout: 240_000 } },
  testTimeout: 300_000,
  hookTimeout: 300_000,
};

// Their modules hold no state that another file could see, and importing them anew costs more than their tests.
const sharedParts = [
  'test/cli/{options,output}/**/*.test.ts',
  'test/dataplane/{catalogue,connectors,decorators,filters,heap,jose,language,link,log,metrics}/**/*.test.ts',
];
// Garbage of other files would count in these.
const measuring = ['test/controller/publish/update-memory.test.ts', 'test/controller/admission/review-bodies.test.ts'];

export default defineConfig({
  test: {
    // Tests wait for sockets and processes: those of system and cluster keep little more than half a core busy each.
    maxWorkers: Math.max(2, Math.ceil(1.5 * availableParallelism())),
    projects: [
      {
        test: {
          ...patient,
          name: 'house',
          include: ['test/house/**/*.test.ts'],
        },
      },
      {
        test: {
          ...patient,
          name: 'unit',
          include: ['test/{dataplane,cli,console}/**/*.test.ts', ...measuring],
          exclude: sharedParts,
        },
      },
      {
        test: {
          ...patient,
          name: 'unit-shared',
          include: ['test/{contract,platform,controller}/**/*.test.ts', ...sharedParts],
          exclude: measuring,
          isolate: false,
        },
      },
      {
        test: {
          ...patient,
          name: 'system',
          include: ['test/system/**/*.test.ts'],
        },
      },
      {
        test: {
          ...patient,
          name: 'image',
          include: ['test/image/**/*.test.ts'],
        },
      },
      {
        test: {
          ...patient,
          name: 'cluster',
          include: ['test/{cluster,helm}/**/*.test.ts'],
          globalSetup: ['test/cluster/start-cluster.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          ...patient,
          // not part of `make test`: test/foreign/run.ts says what it needs
          name: 'foreign',
          include: ['test/foreign/*.test.ts'],
          globalSetup: ['test/foreign/start-servers.ts'],
        },
      },
      {
        test: {
          ...patient,
          // part of `make test-foreign`: each file starts one broker
          name: 'brokers',
          include: ['test/foreign/brokers/*.test.ts'],
        },
      },
      {
        test: {
          ...patient,
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
