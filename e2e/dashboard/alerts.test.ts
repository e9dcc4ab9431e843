import { test } from 'node:test'

// They share one browser and one service, which end as soon as no test is left.
const imported = (async () => {
  await import('./shared/findings.ts')
  await import('./shared/monitors.ts')
  await import('./shared/webhooks.ts')
})()
test('all tests are imported', () => imported)
await imported
