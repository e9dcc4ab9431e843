import { testJournal } from './journal.conformance.ts'
import { MemoryJournal } from './memory-journal.test-support.ts'

testJournal(async () => {
  const journal = new MemoryJournal()
  return { journal, write: async (commit) => journal.write(commit) }
})
