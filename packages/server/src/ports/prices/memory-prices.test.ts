import { MemoryPriceStore } from './memory-prices.test-support.ts'
import { testPriceStore } from './price-store.conformance.ts'

testPriceStore(async () => new MemoryPriceStore())
