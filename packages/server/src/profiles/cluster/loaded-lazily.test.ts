import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'

const OF_CLUSTERS = ['pg', 'pg-pool', '@clickhouse/client', '@aws-sdk/client-s3']

const loaded = (name: string) =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes(`/node_modules/${name}/`))

test('an embedded start loads nothing of the cluster profile, no client of S3, nor the pages of the API reference', async () => {
  await import('../embedded.ts')
  for (const name of [...OF_CLUSTERS, '@fastify/swagger-ui']) assert.ok(!loaded(name), name)
  await import('../cluster.ts')
  for (const name of OF_CLUSTERS) assert.ok(loaded(name), `${name} is seen when it is loaded`)
})
