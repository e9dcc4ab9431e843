import { testBlobStore } from './blob-store.conformance.ts'
import { MemoryBlobStore } from './memory-blob-store.test-support.ts'

const store = new MemoryBlobStore()

testBlobStore(() => store, {
  reachable: false,
  residue: async () => store.objects.size + store.unfinished.size,
})
