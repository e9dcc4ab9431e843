import { testLog } from '../../ports/log/log.conformance.ts'
import { MemoryRows } from './memory-rows.test-support.ts'
import { memoryOnlyJournal } from '../sql/journal/memory-only-journal.test-support.ts'
import { logOn } from './log-world.test-support.ts'

testLog(() => logOn({ rows: new MemoryRows(), journal: memoryOnlyJournal() }))
