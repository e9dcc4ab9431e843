import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDeliveryIntake } from '../../../ports/webhooks/delivery-intake.conformance.ts'
import { testDeliveryLog } from '../../../ports/webhooks/delivery-log.conformance.ts'
import { testDeliveryQueue } from '../../../ports/webhooks/delivery-queue.conformance.ts'
import { compiledForPostgresql } from '../kit/compiled-for-postgresql.test-support.ts'
import type { DeliveryTables } from './delivery-tables.ts'
import { PlaceQuery } from './place-query.ts'
import { temporaryDeliveryStore } from './temporary-delivery-store.test-support.ts'

test('statements compile for PostgreSQL', () => {
  const [listed] = compiledForPostgresql<DeliveryTables>((database) => {
    const range = { lane: 1, fromPlace: 0, beforePlace: 9, startTime: 0, endTime: 9, limit: 9 }
    new PlaceQuery(database).find({ ...range, status: null, type: 0, order: 'desc' })
  })
  assert.match(listed ?? '', / UNION ALL .* ORDER BY place desc LIMIT \$/s)
})

const open = () => temporaryDeliveryStore()

testDeliveryQueue(open)
testDeliveryIntake(open)
testDeliveryLog(open)
