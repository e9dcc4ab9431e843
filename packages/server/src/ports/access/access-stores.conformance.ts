import type { TestContext } from 'node:test'
import type { AccessStores } from './access-builders.test-support.ts'
import { testKeyStore } from './key-store.conformance.ts'
import { testProjectStore } from './project-store.conformance.ts'
import { testSessionStore } from './session-store.conformance.ts'

/** Guarantees of the stores of projects, keys and sessions. `open` gives empty ones. */
export function testAccessStores(open: (context: TestContext) => Promise<AccessStores>): void {
  testProjectStore(open)
  testKeyStore(open)
  testSessionStore(open)
}
