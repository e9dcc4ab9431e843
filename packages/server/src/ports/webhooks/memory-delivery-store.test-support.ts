import { MemoryDeliveryIntake } from './memory-delivery-intake.test-support.ts'
import { MemoryDeliveryLog } from './memory-delivery-log.test-support.ts'
import { MemoryDeliveryQueue } from './memory-delivery-queue.test-support.ts'
import { MemoryDeliveryState } from './memory-delivery-state.test-support.ts'

/** Deliveries in memory: queue, intake and log on the same state. Shares no code with storage/sql. */
export class MemoryDeliveryStore {
  readonly state = new MemoryDeliveryState()
  readonly queue = new MemoryDeliveryQueue(this.state)
  readonly intake = new MemoryDeliveryIntake(this.state)
  readonly log = new MemoryDeliveryLog(this.state)
}
