import { MemoryAccess } from '../access/memory-access.test-support.ts'
import { testAuditStore } from './audit-store.conformance.ts'
import { MemoryAudit } from './memory-audit.test-support.ts'

testAuditStore(async () => ({
  ...new MemoryAccess(),
  audit: new MemoryAudit((id) => (id.endsWith('1') ? 'key 1' : null)),
}))
