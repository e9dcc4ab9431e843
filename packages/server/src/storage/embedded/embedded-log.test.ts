import { testLog } from '../../ports/log/log.conformance.ts'
import { MemoryTraceStore } from '../../ports/traces/memory-trace-store.test-support.ts'
import { memoryOnlyJournal } from '../sql/journal/memory-only-journal.test-support.ts'
import { logOn } from './log-world.test-support.ts'

testLog(() => logOn({ rows: new MemoryTraceStore(), journal: memoryOnlyJournal() }))
