import { testDeliveryIntake } from '../../../ports/webhooks/delivery-intake.conformance.ts'
import { testDeliveryLog } from '../../../ports/webhooks/delivery-log.conformance.ts'
import { testDeliveryQueue } from '../../../ports/webhooks/delivery-queue.conformance.ts'
import { temporaryDeliveryStore } from './temporary-delivery-store.test-support.ts'

const open = () => temporaryDeliveryStore()

testDeliveryQueue(open)
testDeliveryIntake(open)
testDeliveryLog(open)
