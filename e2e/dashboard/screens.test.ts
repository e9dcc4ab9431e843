import { test } from 'node:test'

// They share one browser and one service, which end as soon as no test is left.
const imported = (async () => {
  await import('./shared/deletions.ts')
  await import('./shared/exports.ts')
  await import('./shared/home.ts')
  await import('./shared/masking.ts')
  await import('./shared/metrics.ts')
  await import('./shared/numbers.ts')
  await import('./shared/senders.ts')
  await import('./shared/versions.ts')
})()
test('all tests are imported', () => imported)
await imported
