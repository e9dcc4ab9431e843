import { MemoryAccess } from '../access/memory-access.test-support.ts'
import { testDeletionJobs } from './deletion-jobs.conformance.ts'
import { MemoryDeletionJobs } from './memory-deletion-jobs.test-support.ts'

testDeletionJobs(async () => ({ ...new MemoryAccess(), deletionJobs: new MemoryDeletionJobs() }))
