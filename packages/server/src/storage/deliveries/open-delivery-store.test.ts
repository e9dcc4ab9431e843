import { testDeliveryIntake } from '../../webhooks/delivery-intake.conformance.ts'
import { testDeliveryLog } from '../../webhooks/delivery-log.conformance.ts'
import { testDeliveryQueue } from '../../webhooks/delivery-queue.conformance.ts'
import { temporaryDeliveryStore } from './temporary-delivery-store.test-support.ts'

const open = () => temporaryDeliveryStore()

testDeliveryQueue(open)
testDeliveryIntake(open)
testDeliveryLog(open)
