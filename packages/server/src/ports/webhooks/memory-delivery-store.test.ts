import { testDeliveryIntake } from './delivery-intake.conformance.ts'
import { testDeliveryLog } from './delivery-log.conformance.ts'
import { testDeliveryQueue } from './delivery-queue.conformance.ts'
import { MemoryDeliveryStore } from './memory-delivery-store.test-support.ts'

const open = () => new MemoryDeliveryStore()

testDeliveryQueue(open)
testDeliveryIntake(open)
testDeliveryLog(open)
