import { testMediaStore } from './media-store.conformance.ts'
import { MemoryMedia } from './memory-media.test-support.ts'

testMediaStore(async (_context, clock) => {
  const media = new MemoryMedia(clock)
  return { media, deleteTrace: async (traceId) => media.deleteTrace(traceId) }
})
