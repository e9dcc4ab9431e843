import { DomainError } from '../../lib/domain-error.ts'
import { testExpiry, testLog } from '../../ports/log/log.conformance.ts'
import { LEASE, newAttachment } from '../../ports/media/media-builders.test-support.ts'
import { memoryOnlyMedia } from '../sql/media/memory-only-media.test-support.ts'
import { MemoryRows } from './memory-rows.test-support.ts'
import { logOn } from './log-world.test-support.ts'

testLog(() => {
  const { media, journal } = memoryOnlyMedia()
  const rows = new MemoryRows()
  let diskIsFull = false
  const log = logOn({
    rows,
    journal,
    block: () => (diskIsFull ? new DomainError('disk_full', 'full', { retryAfterSeconds: 10 }) : null),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  })
  return {
    log,
    failNextCommit(code) {
      rows.failures = 1
      diskIsFull = code === 'disk_full'
    },
    breakAtNextCommit() {
      rows.failures = 1
      rows.isBroken = true
      return () => (rows.isBroken = false)
    },
    async addMedia(projectId, sha256) {
      const attachment = newAttachment({ projectId })
      await media.beginBlob(attachment.key, LEASE)
      await media.attach({ ...attachment, facts: { ...attachment.facts, sha256 } }, 10, null)
    },
    beginBlob: (key) => media.beginBlob(key, LEASE),
  }
})

testExpiry(async () => {
  const { journal } = memoryOnlyMedia()
  return { journal, log: logOn({ journal, rows: new MemoryRows() }) }
})
