import { test } from 'node:test'
import { testClusterStores } from '../../../ports/clusters/cluster-stores.conformance.ts'
import { postgresqlStoresOn } from './postgresql-stores.ts'
import { testPostgresql } from './test-postgresql.test-support.ts'

const server = await testPostgresql()
if (typeof server === 'string') test('cluster stores on PostgreSQL', { skip: server }, () => undefined)
else testClusterStores(async (clock, context) => postgresqlStoresOn(await server.open(context), clock))
