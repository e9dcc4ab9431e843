import type { Migration } from '../control/migration.ts'
import { deliveries } from './0001-deliveries.ts'
import { triedDeliveries } from './0002-tried-deliveries.ts'
import { eventsOfTraces } from './0003-events-of-traces.ts'

/** In the order they are run. */
export const DELIVERY_MIGRATIONS: readonly Migration[] = [deliveries, triedDeliveries, eventsOfTraces]
