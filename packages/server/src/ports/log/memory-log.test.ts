import { testLog } from './log.conformance.ts'
import { MemoryLog } from './memory-log.test-support.ts'

testLog(() => new MemoryLog())
