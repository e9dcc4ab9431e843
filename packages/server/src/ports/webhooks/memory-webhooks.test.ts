import { MemoryWebhooks } from './memory-webhooks.test-support.ts'
import { testWebhookStore } from './webhook-store.conformance.ts'

testWebhookStore(async () => new MemoryWebhooks())
