import { DomainError } from '../../lib/domain-error.ts'
import { testLog } from './log.conformance.ts'
import { MemoryLog } from './memory-log.test-support.ts'

testLog(() => {
  const log = new MemoryLog()
  const fail = (code: 'disk_full' | 'storage_unavailable') =>
    (log.nextFailure = new DomainError(code, 'nothing was stored', { retryAfterSeconds: 2 }))
  return {
    log,
    failNextCommit: (code) => void fail(code),
    breakAtNextCommit() {
      const failure = fail('storage_unavailable')
      log.subscribe({ refusing: () => (log.failure = failure) })
      return () => (log.failure = null)
    },
    addMedia: async (projectId, sha256) => log.addMedia(projectId, sha256),
    beginBlob: async (key) => log.beginBlob(key),
  }
})
